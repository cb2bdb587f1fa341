/**
 * Asks a client, before a call begins, for what the app says that it gives: its user for fields of the input, its model for a
 * text. Nothing has run yet, and what comes is input like all other: admission checks it, and the record has it.
 */
import type { McpDefinition } from '../../agents/mcp';
import { formOf, type McpSample } from '../../agents/mcp-asks';
import { getOwn, type Json, type JsonObject } from '../../shared/json/json';
import type { Wrong } from '../http/errors';
import type { AppAnswers } from './app-answers';
import type { Offer } from './offers';
import { type ElicitRequestFormParams, type RequestId, type Server, type Tool } from './sdk';

const ANSWER_WITHIN_MS = 10 * 60_000;
/** Characters of a text that the client's model has written. */
const MOST_SAMPLE = 50_000;

/** The call will not be made. */
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
 * The input with what the client adds to it.
 * @throws NotGiven
 */
export async function inputFromClient(asking: Asking, { tool, listed }: ToolOffer, given: JsonObject): Promise<JsonObject> {
  const { forms = {}, samples = {} } = asking.app.mcp;
  const form = getOwn(forms, tool);
  const filled = form && canFill(asking.server) ? { ...given, ...(await filledIn(asking, formOf(listed.inputSchema as JsonObject, form, given), form.message)) } : given; // oxfmt-ignore
  const sample = getOwn(samples, tool);
  if (!sample || !canSample(asking.server) || Object.hasOwn(filled, sample.field)) return filled;
  return { ...filled, [sample.field]: await sampled(asking, sample, filled) };
}

/** As it is listed for a client that can be asked: it need not give what it will be asked for. */
export function listedFor(server: Server, { forms = {}, samples = {} }: McpDefinition, offer: Offer): Tool {
  if (offer.kind !== 'tool') return offer.listed;
  const { tool, listed } = offer;
  const asked = [
    ...(canFill(server) ? (getOwn(forms, tool)?.fields ?? []) : []),
    ...(canSample(server) ? [getOwn(samples, tool)?.field] : []),
  ];
  const { required = [] } = listed.inputSchema;
  const needed = required.filter((field) => !asked.includes(field));
  return needed.length === required.length ? listed : { ...listed, inputSchema: { ...listed.inputSchema, required: needed } };
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
  const { action, content = {} } = await answered(signal, 'user', () =>
    server.elicitInput({ message, requestedSchema }, options),
  );
  if (action !== 'accept') throw new NotGiven(`The user of this client did not fill in ${Object.keys(requestedSchema.properties).join(', ')}.`); // oxfmt-ignore
  // What was not asked for is no answer to it.
  const fields = Object.keys(requestedSchema.properties).filter((field) => Object.hasOwn(content, field));
  return Object.fromEntries(fields.map((field) => [field, content[field] as Json]));
}

async function sampled({ server, app, requestId, signal }: Asking, sample: McpSample, given: JsonObject): Promise<string> {
  const { maxTokens } = sample;
  const text = await app.ask(
    'question for the model',
    (asker) => sample.prompt(structuredClone(given), asker),
    (prompt) => {
      if (typeof prompt !== 'string' || prompt === '') throw new Error('prompt gives a text');
      return prompt.toWellFormed();
    },
  );
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text } }];
  const options = { relatedRequestId: requestId, signal, timeout: ANSWER_WITHIN_MS };
  const { content } = await answered(signal, 'model', () => server.createMessage({ messages, maxTokens }, options));
  if (content.type !== 'text') throw new NotGiven('The model of this client did not answer with a text.');
  if (content.text.length > MOST_SAMPLE)
    throw new NotGiven(`The model of this client answered with more than ${MOST_SAMPLE} characters.`);
  return content.text.toWellFormed();
}

async function answered<T>(signal: AbortSignal, who: 'user' | 'model', ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message.slice(0, 200).toWellFormed() : 'no answer';
    throw new NotGiven(`The ${who} of this client could not be asked, or gave what does not fit (${why}).`);
  }
}
