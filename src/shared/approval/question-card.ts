/** Builds the card of a question that a model asks people, as the Web UI shows it, with the JSON to paste as the answer. */
import type { JsonObject } from '../json/json';
import { inlineCode } from '../text/visible';
import { jsonFence, section, type CardFacts } from './card';
import type { PersonQuestionInput } from './person-question';

type QuestionFacts = Pick<
  CardFacts,
  'tool' | 'callId' | 'digest' | 'requester' | 'makers' | 'agent' | 'held' | 'policy' | 'input' | 'expiresAt'
>;

/** The card as Markdown. What is asked comes last, as on the card of an approval. */
export function questionCard(facts: QuestionFacts): string {
  const { question, choices, schema, to } = facts.input as JsonObject & PersonQuestionInput;
  return [
    `## A question: ${inlineCode(facts.tool)}`,
    '',
    `Agent ${inlineCode(facts.agent)} asks in call ${facts.callId}, and waits for the answer. An answer is information for the model: it approves nothing.`,
    '',
    `- on behalf of ${inlineCode(facts.requester)}`,
    ...(facts.makers?.length ? [`- steered by: ${facts.makers.map(inlineCode).join(', ')}`] : []),
    `- for ${to === undefined ? 'anybody' : `${to.map(inlineCode).join(', ')}: nobody else can answer`}`,
    `- expires ${facts.expiresAt}; then the model is told that nobody answered`,
    ...(facts.policy?.channel === 'attested'
      ? ['- only signed answers count: `holdfast sign` prints the `attestation` to paste beside `call`']
      : []),
    '- whoever answers counts as somebody who asked for what the model does next',
    '',
    ...(facts.held?.length ? ['### It is asked again: the workflow was reset', ''] : []),
    '### Answer',
    '',
    'Above: *More Actions → Send a Signal*, `answer`. Put your name and your answer into what you paste.',
    '',
    jsonFence({ call: facts.digest, by: 'your-name', value: 'your answer' }),
    '',
    answerKind(choices, schema),
    '',
    '### Question',
    '',
    section(question),
    '',
    ...(choices === undefined
      ? []
      : ['### Choices', '', section(choices.map((choice) => JSON.stringify(choice)).join('\n')), '']),
    ...(schema === undefined ? [] : ['### Schema of the answer', '', section(JSON.stringify(schema, null, 2)), '']),
  ].join('\n');
}

/** No example with a real answer: it could be pasted as it stands. */
function answerKind(choices: string[] | undefined, schema: JsonObject | undefined): string {
  if (choices !== undefined) return '`value` is one of the choices below, word for word.';
  return schema === undefined ? '`value` is a text.' : '`value` is JSON that fits the schema below.';
}
