/**
 * Asks the user of an MCP client a question of the model (`ask_person`), by elicitation: a form of its choices or its schema, under
 * the whole card. The answer is the principal's own, and the turn judges it as any other; one that does not fit is asked for again,
 * with the reason. Declining or closing the form answers nothing: the question goes on waiting.
 */
import { formField } from '../../agents/mcp-asks';
import { linesOfCard } from '../../client/approvals/cards';
import { DecisionNotAccepted, NoWorker } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { Card } from '../../shapes/card';
import { Refusal } from '../../gateway/http/errors';
import { addresseesOf, isNamed } from '../../shared/approval/person-question';
import { optional } from '../../shared/json/optional';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { JsonSyntaxError, parseJson } from '../../shared/json/parse-json';
import { ANSWER_WITHIN_MS, MOST_LINES, MOST_TEXT } from './asks';
import type { ElicitRequestFormParams, RequestId, Server } from './sdk';
import type { Ask } from './wait-for-turn';

/** Answers in the principal's name. @throws DecisionNotAccepted with the reason */
export type SendAnswer = (turn: TurnHandle, answer: { digest: string; value: Json }) => Promise<void>;

export interface Answering {
  principal: { name: string; roles: readonly string[] };
  send: SendAnswer;
}

/** How often somebody is asked whose answer does not fit. */
const TRIES = 3;
const MOST_FIELDS = 20;
const NO_ANSWER = 'The person at this client did not answer.';

/** @param requestId of the call that led to the question */
export function questionElicitation(server: Server, requestId: RequestId, { principal, send }: Answering): Ask {
  return async (turn, digest, signal) => {
    const { questions } = await turn.waiting();
    const card = questions.find((one) => one.digest === digest)?.card;
    if (card?.question === undefined) return 'The question cannot be shown at this client.';
    if (!isAsked(card, principal)) return 'The question is for somebody else.';
    const lines = linesOfCard(card);
    const message = [ABOUT, ...lines, `Digest ${digest}`].join('\n');
    if (lines.length > MOST_LINES || message.length > MOST_TEXT) return 'This client cannot show the whole question.';
    const form = answerForm(card);
    let refused: string | null = null;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const text = refused === null ? message : `${refused}\n\n${message}`;
      const content = await contentOf(server, requestId, { message: text, requestedSchema: form.schema }, signal);
      if (typeof content === 'string') return content;
      const fault = await faultOf(() => send(turn, { digest, value: form.value(content) }));
      if (fault === null || !fault.asksAgain) return fault?.why ?? null;
      refused = fault.why;
    }
    return refused;
  };
}

function isAsked({ to }: Card, { name, roles }: Answering['principal']): boolean {
  const addressees = addresseesOf(optional({ to }));
  return isNamed(addressees, name) || (addressees?.roles.some((role) => roles.includes(role)) ?? false);
}

const ABOUT =
  'The model asks you a question. Your answer tells it something, and approves nothing. Under four eyes you may not approve what it does next.';

interface AnswerForm {
  schema: ElicitRequestFormParams['requestedSchema'];
  /** @throws JsonSyntaxError */
  value(content: JsonObject): Json;
}

/** Forms of the protocol are flat: an answer that no such form can show is written as JSON. */
export function answerForm({ choices, schema }: Pick<Card, 'choices' | 'schema'>): AnswerForm {
  if (choices !== undefined) return oneField({ type: 'string', title: 'Answer', enum: choices });
  if (!isJsonObject(schema)) return oneField({ type: 'string', title: 'Answer', minLength: 1 });
  const single = formField(schema, undefined);
  if (single !== null) return oneField({ title: 'Answer', ...single });
  const fields = fieldsOf(schema);
  if (fields !== null) return fields;
  const description = `As JSON, of this schema: ${JSON.stringify(schema)}`;
  const { schema: form } = oneField({ type: 'string', title: 'Answer', description, minLength: 1 });
  return { schema: form, value: ({ answer }) => parseJson(String(answer)) };
}

function oneField(answer: JsonObject): AnswerForm {
  return {
    schema: schemaOf({ type: 'object', properties: { answer }, required: ['answer'] }),
    value: (content) => content.answer ?? null,
  };
}

/** Null: the schema has a field that no form can have. */
function fieldsOf({ type, properties, required = [] }: JsonObject): AnswerForm | null {
  if (type !== 'object' || !isJsonObject(properties)) return null;
  const names = Object.keys(properties);
  const fields = names.map(
    (name) => [name, isJsonObject(properties[name]) ? formField(properties[name], undefined) : null] as const,
  );
  if (names.length === 0 || names.length > MOST_FIELDS || fields.some(([, field]) => field === null)) return null;
  return {
    schema: schemaOf({ type: 'object', properties: Object.fromEntries(fields) as JsonObject, required }),
    // Only what was asked for.
    value: (content) =>
      Object.fromEntries(names.filter((name) => Object.hasOwn(content, name)).map((name) => [name, content[name]!])),
  };
}

function schemaOf(form: JsonObject): ElicitRequestFormParams['requestedSchema'] {
  return form as ElicitRequestFormParams['requestedSchema'];
}

/** A string: why there is no answer. */
async function contentOf(
  server: Server,
  relatedRequestId: RequestId,
  form: Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>,
  signal: AbortSignal,
): Promise<JsonObject | string> {
  try {
    const { action, content } = await server.elicitInput(form, { relatedRequestId, signal, timeout: ANSWER_WITHIN_MS });
    return action === 'accept' ? ((content ?? {}) as JsonObject) : NO_ANSWER;
  } catch (error) {
    signal.throwIfAborted();
    return `This client could not be asked (${error instanceof Error ? error.message.slice(0, 200) : 'no answer'}).`;
  }
}

/** Null: the answer counts; else why it does not, and whether another answer may. */
async function faultOf(send: () => Promise<void>): Promise<{ why: string; asksAgain: boolean } | null> {
  try {
    await send();
    return null;
  } catch (error) {
    if (error instanceof DecisionNotAccepted) return { why: error.message, asksAgain: true };
    if (error instanceof JsonSyntaxError)
      return { why: `Not accepted: the answer is not JSON (${error.reason}).`, asksAgain: true };
    if (error instanceof NoWorker || error instanceof Refusal) return { why: error.message, asksAgain: false };
    throw error;
  }
}
