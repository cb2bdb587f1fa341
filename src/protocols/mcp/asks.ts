/**
 * Asks an MCP client before a call begins, as the app defines: its user for fields of the input, its model for a text. Nothing
 * has run yet. The answers are input like any other: admission checks them, and the record contains them. Also asks its user to
 * approve calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpDefinition } from '../../agents/mcp';
import { formOf, type McpSample } from '../../agents/mcp-asks';
import { getOwn, type Json, type JsonObject } from '../../shared/json/json';
import { cardLines, isCardCut } from '../../client/approvals/cards';
import { DecisionNotAccepted, NoWorker } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { Refusal, type Wrong } from '../../gateway/http/errors';
import type { AppAnswers } from './app-prompts';
import type { Offer } from './offers';
import type { ElicitRequestFormParams, RequestId, Server, Tool } from './sdk';
import type { Ask } from './wait-for-turn';

export const ANSWER_WITHIN_MS = 10 * 60_000;
/** Limit for a text that the client's model has written, characters. */
const MOST_SAMPLE = 50_000;

/** Input is missing, so the call is not made. */
export class NotGiven extends Error {
  override readonly name = 'NotGiven';
  readonly wrong: Wrong;

  constructor(message: string) {
    super(message);
    this.wrong = { code: 'CONFIRMATION_REQUIRED', reason: 'not_given', message: `${message} Nothing has run.` };
  }
}

export interface Asking {
  server: Server;
  app: AppAnswers;
  requestId: RequestId;
  signal: AbortSignal;
}

type ToolOffer = Offer & { kind: 'tool' };

/**
 * Adds the fields that the client gives to the input.
 * @throws NotGiven
 */
export async function inputFromClient(asking: Asking, { tool, listing }: ToolOffer, input: JsonObject): Promise<JsonObject> {
  const { forms = {}, samples = {} } = asking.app.mcp;
  const form = getOwn(forms, tool);
  const filledInput = form && canFill(asking.server) ? { ...input, ...(await filledIn(asking, formOf(listing.inputSchema as JsonObject, form, input), form.message)) } : input; // oxfmt-ignore
  const sample = getOwn(samples, tool);
  if (!sample || !canSample(asking.server) || Object.hasOwn(filledInput, sample.field)) return filledInput;
  return { ...filledInput, [sample.field]: await askModel(asking, sample, filledInput) };
}

/** The tool as listed for this client: fields that the client will be asked for are not required. */
export function listedFor(server: Server, { forms = {}, samples = {} }: McpDefinition, offer: Offer): Tool {
  if (offer.kind !== 'tool') return offer.listing;
  const { tool, listing } = offer;
  const askedFields = [
    ...(canFill(server) ? (getOwn(forms, tool)?.fields ?? []) : []),
    ...(canSample(server) ? [getOwn(samples, tool)?.field] : []),
  ];
  const { required = [] } = listing.inputSchema;
  const requiredFields = required.filter((field) => !askedFields.includes(field));
  return requiredFields.length === required.length
    ? listing
    : { ...listing, inputSchema: { ...listing.inputSchema, required: requiredFields } };
}

function canFill(server: Server): boolean {
  return server.getClientCapabilities()?.elicitation?.form !== undefined;
}

function canSample(server: Server): boolean {
  return server.getClientCapabilities()?.sampling !== undefined;
}

async function filledIn({ server, requestId, signal }: Asking, schema: JsonObject | null, message: string): Promise<JsonObject> {
  if (schema === null) return {};
  const requestedSchema = schema as ElicitRequestFormParams['requestedSchema'];
  const options = { relatedRequestId: requestId, signal, timeout: ANSWER_WITHIN_MS };
  const { action, content = {} } = await awaitAnswer(signal, 'user', () =>
    server.elicitInput({ message, requestedSchema }, options),
  );
  if (action !== 'accept') throw new NotGiven(`The user of this client did not fill in ${Object.keys(requestedSchema.properties).join(', ')}.`); // oxfmt-ignore
  // Keeps only the fields that were asked for.
  const fields = Object.keys(requestedSchema.properties).filter((field) => Object.hasOwn(content, field));
  return Object.fromEntries(fields.map((field) => [field, content[field] as Json]));
}

async function askModel({ server, app, requestId, signal }: Asking, sample: McpSample, input: JsonObject): Promise<string> {
  const { maxTokens } = sample;
  const text = await app.ask(
    'question for the model',
    (asker) => sample.prompt(structuredClone(input), asker),
    (prompt) => {
      if (typeof prompt !== 'string' || prompt === '') throw new Error('prompt gives a text');
      return prompt.toWellFormed();
    },
  );
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
  const options = { relatedRequestId: requestId, signal, timeout: ANSWER_WITHIN_MS };
  const { content } = await awaitAnswer(signal, 'model', () => server.createMessage({ messages, maxTokens }, options));
  if (content.type !== 'text') throw new NotGiven('The model of this client did not answer with a text.');
  if (content.text.length > MOST_SAMPLE)
    throw new NotGiven(`The model of this client answered with more than ${MOST_SAMPLE} characters.`);
  return content.text.toWellFormed();
}

async function awaitAnswer<T>(signal: AbortSignal, who: 'user' | 'model', ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message.slice(0, 200).toWellFormed() : 'no answer';
    throw new NotGiven(`The ${who} of this client could not be asked, or gave what does not fit (${why}).`);
  }
}

// Asks the user of an MCP client about a waiting call, by elicitation, if its whole card can be shown. The answer counts as a
// decision of the client's principal.

export interface Answer {
  decision: 'approve' | 'deny';
  digest: string;
  note?: string;
}

/** Decides in the principal's name. @throws DecisionNotAccepted with the reason */
export type Decide = (turn: TurnHandle, answer: Answer) => Promise<void>;

/** Dialogues have little room: a longer card is not shown. */
export const MOST_LINES = 120;
export const MOST_TEXT = 8_000;
const MOST_NOTE = 1000;
/** A card may appear a moment after its question. */
const CARD_TRIES = 10;
const CARD_PAUSE_MS = 200;

export const QUESTION: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      enum: ['approve', 'deny'],
      enumNames: ['Approve: it runs', 'Deny: it does not'],
    },
    note: { type: 'string', title: 'Note', description: 'Of a denial the agent reads it.', maxLength: MOST_NOTE },
  },
  required: ['decision'],
};

/** @param requestId of the call that led to the question */
export function elicitation(server: Server, requestId: RequestId, decide: Decide): Ask {
  return async (turn, digest, signal) => {
    const card = await shownCard(turn, digest, signal);
    if (card === null) return 'This client cannot show the whole card.';
    const answer = await answerOf(server, requestId, card, signal);
    if (typeof answer === 'string') return answer;
    try {
      await decide(turn, { digest, ...answer });
      return null;
    } catch (error) {
      if (error instanceof DecisionNotAccepted || error instanceof NoWorker) return error.message;
      if (error instanceof Refusal) return [error.wrong.message, error.wrong.hint ?? []].flat().join(' ');
      throw error;
    }
  };
}

async function shownCard(turn: TurnHandle, digest: string, signal: AbortSignal): Promise<string | null> {
  for (let tries = 0; tries < CARD_TRIES; tries++) {
    signal.throwIfAborted();
    const cards = await turn.cards().catch(() => null); // then nobody is asked here
    const card = cards?.get(digest);
    if (card !== undefined) {
      const lines = cardLines(card);
      const text = ['Approve this call?', ...lines, `Digest ${digest}`].join('\n');
      return isCardCut(card) || lines.length > MOST_LINES || text.length > MOST_TEXT ? null : text;
    }
    await sleep(CARD_PAUSE_MS);
  }
  return null;
}

/** A string: why there is no answer. */
async function answerOf(
  server: Server,
  relatedRequestId: RequestId,
  message: string,
  signal: AbortSignal,
): Promise<Omit<Answer, 'digest'> | string> {
  try {
    const options = { relatedRequestId, signal, timeout: ANSWER_WITHIN_MS };
    const { action, content } = await server.elicitInput({ message, requestedSchema: QUESTION }, options);
    if (action === 'decline') return { decision: 'deny' };
    if (action === 'cancel') return 'The person at this client did not decide.';
    const { decision, note } = content ?? {};
    if (decision !== 'approve' && decision !== 'deny') return 'The answer of this client was no decision.';
    return { decision, ...(typeof note === 'string' && note !== '' ? { note: note.slice(0, MOST_NOTE).toWellFormed() } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    return `This client could not be asked (${error instanceof Error ? error.message.slice(0, 200) : 'no answer'}).`;
  }
}
