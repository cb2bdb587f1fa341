/** Builds the card of a question that a model asks people, as the Web UI shows it, with the JSON to paste as the answer. */
import type { JsonObject } from '../shared/json/json';
import { inlineCode } from '../shared/text/visible';
import { originSections, type Origin } from './card-origin';
import { CARD_SECTION, jsonFence, section, type Room } from './card-text';
import type { PersonQuestionInput } from '../shared/approval/person-question';

export interface QuestionFacts extends Origin {
  tool: string;
  callId: string;
  digest: string;
  agent: string;
  /** Why it is asked again. */
  held?: readonly object[];
  policy?: { channel: 'any' | 'attested' };
  /** Admission has checked it. */
  input: JsonObject;
  expiresAt: string;
}

/**
 * The card as Markdown: whole, since a question is short; of the words that led to it the beginning, if they are long.
 * @param link where the whole card is; null: nowhere
 */
export function questionCard(facts: QuestionFacts, { link = null }: { link?: string | null } = {}): string {
  return questionIn(facts, { limit: CARD_SECTION, link });
}

/** The question stands first. */
export function questionIn(facts: QuestionFacts, room: Room): string {
  const { question, choices, schema, to } = facts.input as JsonObject & PersonQuestionInput;
  return [
    `## A question: ${inlineCode(facts.tool)}`,
    '',
    `Agent ${inlineCode(facts.agent)} asks in call ${facts.callId}, and waits for the answer. An answer is information for the model: it approves nothing.`,
    '',
    '### Question',
    '',
    section(question, room),
    '',
    ...(choices === undefined
      ? []
      : ['### Choices', '', section(choices.map((choice) => JSON.stringify(choice)).join('\n'), room), '']),
    ...(schema === undefined ? [] : ['### Schema of the answer', '', section(JSON.stringify(schema, null, 2), room), '']),
    ...(facts.held?.length ? ['### It is asked again: the workflow was reset', ''] : []),
    ...originSections(facts, room),
    '### Who answers',
    '',
    `- ${to === undefined ? 'anybody may answer' : `only ${to.map(inlineCode).join(', ')} may answer`}`,
    ...(facts.policy?.channel === 'attested'
      ? ['- only signed answers count: `holdfast sign` prints the `attestation` to paste beside `call`']
      : []),
    '- whoever answers counts as somebody who asked for what the model does next',
    `- expires ${facts.expiresAt}; then the model is told that nobody answered`,
    '',
    '### Answer',
    '',
    'Above: *More Actions → Send a Signal*, `answer`. Put your name and your answer into what you paste.',
    '',
    jsonFence({ call: facts.digest, by: 'your-name', value: 'your answer' }),
    '',
    answerKind(choices, schema),
    '',
  ].join('\n');
}

/** No example with a real answer: it could be pasted as it stands. */
function answerKind(choices: string[] | undefined, schema: JsonObject | undefined): string {
  if (choices !== undefined) return '`value` is one of the choices above, word for word.';
  return schema === undefined ? '`value` is a text.' : '`value` is JSON that fits the schema above.';
}
