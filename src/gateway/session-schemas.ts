/** What the routes of sessions take and answer. */
import { MAX_MESSAGE, MAX_TITLE } from '../shared/session';
import { TURN_STATES } from '../shared/turn-view';
import { answers, callbackUrl, postHeaders } from './schemas';

const tags = ['sessions'];
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const object = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties });
const body = (properties: Record<string, object>, required: string[], example: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
  examples: [example],
});

export const sessionParams = object({ id: { ...text, maxLength: 200, description: 'The id of a session.' } });
const message = { ...text, minLength: 1, maxLength: MAX_MESSAGE, pattern: '\\S' };
const title = { ...text, minLength: 1, maxLength: MAX_TITLE, pattern: '\\S' };
const agent = { ...text, minLength: 1, maxLength: 64, description: 'One that the workers serve.' };
const ofTurn = object({ turn_id: text });

const sessionView = {
  ...object({
    session_id: text,
    workflow_id: text,
    agent: text,
    requester: text,
    title: textOrNull,
    state: { enum: ['open', 'closing', 'closed'] },
    head: { ...textOrNull, description: 'The last block of its transcript.' },
    running: { type: ['object', 'null'], description: 'The turn that runs now.' },
    held: {
      type: ['object', 'null'],
      description: 'The last turn did not come to its end: nothing runs until somebody says something.',
    },
    queue: { type: 'array', items: ofTurn, description: 'Turns that wait, in order.' },
    turns: { type: 'integer', description: 'How many have ended.' },
    last: { type: 'array', items: object({ turn_id: text, state: { enum: TURN_STATES } }) },
    usage: { type: 'object' },
    cached_share: {
      type: ['number', 'null'],
      description: 'Of all that was sent to the model: which part its prompt cache had, 0 to 1.',
    },
    forked_from: { type: ['object', 'null'] },
    started_at: text,
    ended_at: textOrNull,
    ui_url: textOrNull,
  }),
};

const sent = {
  description: 'It is taken; its turn begins when those before it have ended.',
  ...object({
    session_id: text,
    turn_id: text,
    ahead: { type: 'integer', description: 'Turns that end before it begins.' },
    events_url: { ...text, description: 'Relative: the stream of its events. It is there once the turn has begun.' },
  }),
};
const accepted = { description: 'It counts.', ...object({ accepted: { const: true } }), examples: [{ accepted: true }] };

const named = {
  session_id: 'aapl-review',
  workflow_id: 'session/aapl-review',
  agent: 'credit-analyst',
  requester: 'acme/backend',
  title: null,
  state: 'open',
  started_at: '2026-01-31T09:00:00.000Z',
  ended_at: null,
  ui_url: null,
};
const exampleSession = {
  ...named,
  run_id: '01a2000c-0aae-70b7-b0c2-20cc1c823952',
  head: '1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b',
  running: null,
  held: null,
  queue: [],
  turns: 1,
  last: [{ turn_id: 'aapl-review.1', state: 'completed' }],
  usage: { input_tokens: 1200, output_tokens: 80, cache_read_tokens: 900, cache_creation_tokens: 300, cost_usd: 0.0048 },
  cached_share: 0.75,
  forked_from: null,
};
const sessionSummary = object({
  session_id: text,
  workflow_id: text,
  agent: text,
  requester: text,
  title: textOrNull,
  state: { enum: ['open', 'closed'] },
  started_at: text,
  ended_at: textOrNull,
  ui_url: textOrNull,
});

export const schemas = {
  open: {
    summary: 'Open a session',
    description: 'With `Idempotency-Key` the same request again gives the same session.',
    tags,
    headers: postHeaders,
    body: body({ agent, title, message: { ...message, description: 'Said at once.' } }, ['agent'], {
      agent: 'credit-analyst',
      message: 'What did AAPL earn last year?',
    }),
    response: answers({ 201: { description: 'It is open.', ...sessionView } }, 409),
  },
  list: {
    summary: 'List sessions',
    tags,
    querystring: {
      type: 'object',
      additionalProperties: false,
      properties: { agent, limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
    },
    response: answers({
      200: {
        description: 'Newest first.',
        ...object({ sessions: { type: 'array', items: sessionSummary } }),
        examples: [{ sessions: [named] }],
      },
    }),
  },
  show: {
    summary: 'Show a session',
    tags,
    params: sessionParams,
    response: answers({ 200: { description: 'How it stands.', ...sessionView, examples: [exampleSession] } }, 404),
  },
  say: {
    summary: 'Say something',
    description: 'A turn of its own, after those that wait. With `Idempotency-Key` the same message again gives the same turn.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body(
      {
        message,
        callback_url: callbackUrl,
        resume: { const: true, description: 'Goes before what waits, after a turn that did not come to its end.' },
      },
      ['message'],
      { message: 'And the year before?' },
    ),
    response: answers({ 202: sent }, 404, 409),
  },
  steer: {
    summary: 'Say something to the model of the running turn',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body({ text: { ...text, minLength: 1, maxLength: 4000, pattern: '\\S' } }, ['text'], { text: 'In euros, please.' }),
    response: answers({ 202: { description: 'Accepted.', ...ofTurn } }, 404, 409),
  },
  interrupt: {
    summary: 'Interrupt the running turn',
    description: 'It ends before its next step, and the conversation can go on. What waits is held.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    response: answers({ 202: accepted }, 404, 409),
  },
  rename: {
    summary: 'Rename a session',
    tags,
    headers: postHeaders,
    params: sessionParams,
    body: body({ title }, ['title'], { title: 'AAPL' }),
    response: answers({ 200: accepted }, 404, 409),
  },
  close: {
    summary: 'Close a session',
    description: 'What was taken is run; nothing more is.',
    tags,
    headers: postHeaders,
    params: sessionParams,
    response: answers({ 202: accepted }, 404, 409),
  },
  fork: {
    summary: 'Fork a conversation',
    description: 'A new session that goes on after a block of a turn that you may see.',
    tags,
    headers: postHeaders,
    body: body(
      { from: { ...text, pattern: '^[0-9a-f]{64}$', description: 'The last block that it has.' }, agent, title },
      ['from'],
      {
        from: '5f2c7d0e9b1a4c3d8e6f7a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d',
      },
    ),
    response: answers({ 201: { description: 'It is open.', ...sessionView } }, 404, 409),
  },
} as const;
