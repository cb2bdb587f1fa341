/** Schemas of the session routes: requests and answers. */
import { z } from 'zod';
import { sessionSummary, sessionView } from '../../shapes/session';
import { messageInput } from '../../shapes/message';
import { MAX_TITLE } from '../../shared/turn/session';
import {
  acceptedAnswer,
  answer,
  answers,
  type Acceptance,
  jsonSchema,
  body,
  callbackUrl,
  postHeaders,
  servedAgent,
  sessionParams,
  textOf,
} from './common';
import { exampleNamedSession, exampleSession } from './examples';

const tags = ['sessions'];
const message = messageInput;
const title = textOf(MAX_TITLE);

/** Without the workflow's run, which is internal. */
const publicSession = sessionView.omit({ run_id: true });
const openBody = z.strictObject({
  agent: servedAgent,
  title: title.optional(),
  message: message.optional().describe('Said at once.'),
});
const listQuery = z.strictObject({ agent: servedAgent.optional(), limit: z.number().int().min(1).max(200).default(50) });
const list = z.object({ sessions: z.array(sessionSummary) });
const sayBody = z.strictObject({
  message,
  callback_url: callbackUrl,
  resume: z.literal(true).optional().describe('Goes before what waits, after a turn that did not come to its end.'),
});
const sendReceipt = z.object({
  session_id: z.string(),
  turn_id: z.string(),
  ahead: z.number().int().describe('Turns that end before it begins.'),
  events_url: z.string().describe('Relative: the stream of its events. It is there once the turn has begun.'),
});
const steerBody = z.strictObject({ text: textOf(4000) });
const steerReceipt = z.object({ turn_id: z.string() });
const renameBody = z.strictObject({ title });
const forkBody = z.strictObject({
  from: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('The last block that it has.'),
  agent: servedAgent.optional(),
  title: title.optional(),
});

interface OfSession {
  Params: { id: string };
}
export type ShownSession = z.infer<typeof publicSession>;
export type SendReceipt = z.infer<typeof sendReceipt>;
export interface OpenSession {
  Body: z.infer<typeof openBody>;
  Reply: ShownSession;
}
export interface ListSessions {
  Querystring: z.infer<typeof listQuery>;
  Reply: z.infer<typeof list>;
}
export interface ShowSession extends OfSession {
  Reply: ShownSession;
}
export interface SayToSession extends OfSession {
  Body: z.infer<typeof sayBody>;
  Reply: SendReceipt;
}
export interface SteerSession extends OfSession {
  Body: z.infer<typeof steerBody>;
  Reply: z.infer<typeof steerReceipt>;
}
export interface RenameSession extends OfSession {
  Body: z.infer<typeof renameBody>;
  Reply: Acceptance;
}
/** For `interrupt` and `close`. */
export interface StopSession extends OfSession {
  Reply: Acceptance;
}
export interface ForkSession {
  Body: z.infer<typeof forkBody>;
  Reply: ShownSession;
}

export const sessionSchemas = {
  open: {
    summary: 'Open a session',
    description: 'With `Idempotency-Key` the same request again gives the same session.',
    tags,
    headers: postHeaders,
    body: body(openBody, { agent: 'credit-analyst', message: 'What did AAPL earn last year?' }),
    response: answers({ 201: answer('It is open.', publicSession) }, 409),
  },
  list: {
    summary: 'List sessions',
    tags,
    querystring: jsonSchema(listQuery),
    response: answers({ 200: answer('Newest first.', list, { sessions: [exampleNamedSession] }) }),
  },
  show: {
    summary: 'Show a session',
    tags,
    params: sessionParams,
    response: answers({ 200: answer('How it stands.', publicSession, exampleSession) }, 404),
  },
  say: {
    summary: 'Say something',
    description: 'A turn of its own, after those that wait. With `Idempotency-Key` the same message again gives the same turn.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body(sayBody, { message: 'And the year before?' }),
    response: answers({ 202: answer('It is taken; its turn begins when those before it have ended.', sendReceipt) }, 404, 409),
  },
  steer: {
    summary: 'Say something to the model of the running turn',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body(steerBody, { text: 'In euros, please.' }),
    response: answers({ 202: answer('Accepted.', steerReceipt) }, 404, 409),
  },
  interrupt: {
    summary: 'Interrupt the running turn',
    description: 'It ends before its next step, and the conversation can go on. What waits is held.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    response: answers({ 202: acceptedAnswer('It counts.') }, 404, 409),
  },
  rename: {
    summary: 'Rename a session',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body(renameBody, { title: 'AAPL' }),
    response: answers({ 200: acceptedAnswer('It counts.') }, 404, 409),
  },
  close: {
    summary: 'Close a session',
    description: 'What was taken is run; nothing more is.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    response: answers({ 202: acceptedAnswer('It counts.') }, 404, 409),
  },
  fork: {
    summary: 'Fork a conversation',
    description: 'A new session that goes on after a block of a turn that you may see.',
    tags,
    headers: postHeaders,
    body: body(forkBody, { from: '5f2c7d0e9b1a4c3d8e6f7a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d' }),
    response: answers({ 201: answer('It is open.', publicSession) }, 404, 409),
  },
};
