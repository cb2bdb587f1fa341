/** JSON Schemas that several routes share. Those of answers describe: fields may be added. */
import { CALL_STATES, TURN_STATES } from '../shared/turn-view';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties,
});

export const turnParams = object({
  id: { ...text, maxLength: 300, description: 'The id of a turn; of a direct call `call/…`, its slash as `%2F`.' },
});

export const callbackUrl = {
  ...text,
  maxLength: 2000,
  description: 'Told of each question of its turn and of the end, signed. Its host must be one of HOLDFAST_CALLBACK_HOSTS.',
};

/** Of every POST. */
export const postHeaders = {
  type: 'object',
  properties: {
    'idempotency-key': {
      ...text,
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: '1 to 255 visible ASCII characters: the same key, the same operation.',
    },
  },
};

export const errorEnvelope = {
  type: 'object',
  required: ['success', 'status', 'error', 'metadata'],
  properties: {
    success: { const: false },
    status: { const: 'error' },
    error: {
      type: 'object',
      required: ['code', 'kind', 'reason', 'message', 'retryable'],
      properties: {
        code: { ...text, description: 'Of a small set, such as `INVALID_PARAMS`.' },
        kind: { enum: ['USER_INPUT_ERROR', 'TRANSIENT_ERROR', 'FATAL_ERROR'] },
        reason: { ...text, description: 'snake_case, for programs.' },
        message: text,
        retryable: { type: 'boolean' },
        hint: { ...text, description: 'What to do about it.' },
        details: { type: 'array', items: object({ path: text, message: text }) },
      },
    },
    metadata: { type: 'object', required: ['timestamp'], properties: { timestamp: { ...text, format: 'date-time' } } },
  },
};

export const approvalView = object({
  required: { type: 'boolean' },
  by: { type: 'array', items: text },
  decision: { type: ['string', 'null'] },
  note: textOrNull,
  expires_at: textOrNull,
});

export const callView = object({
  id: { ...text, description: '`<step>.<index>`' },
  revision: { type: 'integer' },
  tool: text,
  version: text,
  class: text,
  digest: { ...textOrNull, description: '64 hex; null for a call that failed admission' },
  state: { enum: CALL_STATES },
  idempotency_key: textOrNull,
  approval: approvalView,
  effect: { type: ['string', 'null'], description: '`applied`, `not_applied`, `refused`, `in_doubt`; null for harmless classes' },
  attempts: { type: 'integer' },
  error: { type: ['object', 'null'] },
  result_summary: textOrNull,
  result_ref: textOrNull,
});

export const turnSummary = object({
  turn_id: text,
  workflow_id: text,
  agent: text,
  state: text,
  requester: text,
  started_at: text,
  ended_at: textOrNull,
  ui_url: textOrNull,
  key: { ...textOrNull, description: 'The idempotency key that its id is a hash of.' },
});

const question = {
  ...callView,
  required: [...callView.required, 'card'],
  properties: {
    ...callView.properties,
    card: { ...text, description: 'What would happen, in Markdown: to be shown to whoever decides.' },
  },
};

export const pendingTurn = {
  ...turnSummary,
  required: [...turnSummary.required, 'tools', 'calls', 'unreachable'],
  properties: {
    ...turnSummary.properties,
    tools: { type: 'array', items: text, description: 'Those that wait, by name: known although no worker answers.' },
    calls: { type: 'array', items: question },
    unreachable: {
      ...textOrNull,
      description: 'Why `calls` is empty, or lacks some: they could not be asked for, or their cards could not be read.',
    },
  },
};

export const turnView = object({
  turn_id: text,
  workflow_id: text,
  run_id: text,
  agent: text,
  session_id: textOrNull,
  requester: text,
  trace_id: text,
  state: { enum: TURN_STATES },
  head: textOrNull,
  step: { type: 'integer' },
  text,
  reason: textOrNull,
  usage: object({
    input_tokens: { type: 'number' },
    output_tokens: { type: 'number' },
    cache_read_tokens: { type: 'number' },
    cost_usd: { type: 'number' },
  }),
  calls: { type: 'array', items: callView },
  pending: { type: 'array', items: text, description: 'Digests of the calls that wait.' },
  ignored_signals: object({ count: { type: 'integer' }, last: { type: 'array', items: { type: 'object' } } }),
  started_at: text,
  ended_at: textOrNull,
  ui_url: textOrNull,
});

const WHAT: Record<number, string> = {
  400: 'The request is not right; `error.details` says where.',
  401: 'No token, or nobody’s.',
  403: 'Not with these roles.',
  404: 'It is not there, or not yours to see.',
  408: 'The request did not come in time.',
  409: 'It cannot be done as things stand; `error.message` says why.',
  413: 'The body is too large.',
  414: 'A part of the address is too long.',
  415: 'The body is not application/json.',
  429: 'Too many requests: `retry-after` says for how many seconds.',
  431: 'Address and headers are too long together.',
  500: 'A fault of the gateway; its log says which.',
  503: 'Temporal, a worker or the issuer of tokens does not answer; try again.',
};
const ALWAYS = [400, 401, 403, 408, 413, 414, 415, 429, 431, 500, 503];

/** The answers of a route: its own, and the errors that it shares with others, in the envelope. */
export function answers(own: Record<number, object>, ...errors: number[]): Record<number, object> {
  const wrong = [...new Set([...ALWAYS, ...errors])].map((status) => [
    status,
    { description: WHAT[status] ?? 'An error.', ...errorEnvelope },
  ]);
  return { ...(Object.fromEntries(wrong) as Record<number, object>), ...own };
}

/** What the examples of the document are made of: one payment that waits. */
const waiting = {
  id: '1.1',
  revision: 1,
  tool: 'pay_invoice',
  version: '1.0.0',
  class: 'destructive',
  digest: '9f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b',
  state: 'waiting',
  idempotency_key: null,
  approval: { required: true, by: [], decision: null, note: null, expires_at: '2026-02-01T10:00:00.000Z' },
  effect: null,
  attempts: 0,
  error: null,
  result_summary: null,
  result_ref: null,
};

export const exampleSummary = {
  turn_id: 'inv-7',
  workflow_id: 'turn/inv-7',
  agent: 'payables',
  state: 'awaiting_approval',
  requester: 'acme/rita',
  started_at: '2026-01-31T10:00:00.000Z',
  ended_at: null,
  ui_url: null,
  key: null,
};

const card = '## Waiting for approval: `pay_invoice`\n…';
export const examplePending = { ...exampleSummary, tools: [waiting.tool], calls: [{ ...waiting, card }], unreachable: null };

export const exampleView = {
  ...exampleSummary,
  run_id: '01a2000c-0aae-70b7-b0c2-20cc1c823952',
  session_id: null,
  trace_id: 'trace_20260131_0a1b2c3d4e5f',
  head: '1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b',
  step: 1,
  text: '',
  reason: null,
  usage: { input_tokens: 1200, output_tokens: 80, cache_read_tokens: 0, cost_usd: 0.0048 },
  calls: [waiting],
  pending: [waiting.digest],
  ignored_signals: { count: 0, last: [] },
};
