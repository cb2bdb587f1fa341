/** Example values for the OpenAPI document: one payment that waits. */
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

const card = {
  kind: 'approval',
  agent: 'payables',
  call_id: waiting.id,
  revision: waiting.revision,
  tool: waiting.tool,
  version: waiting.version,
  class: waiting.class,
  digest: waiting.digest,
  will_happen: 'Pays 1,250.00 EUR to Acme GmbH, DE89 3704 0044 0532 0130 00.',
  acts_on: { account: 'DE02 1203 0000 0000 2020 51' },
  input: { invoice: 'INV-7', cents: 125_000 },
  held: [],
  requester: 'acme/rita',
  makers: [],
  words: [{ from: 'requester', by: 'acme/rita', text: 'Pay INV-7.', cut: false }],
  reason: 'destructive calls are asked about',
  changes: [],
  untrusted: false,
  asked_at: '2026-01-31T10:00:00.000Z',
  policy: { channel: 'attested', quorum: 1, roles: ['treasurer'], four_eyes: true },
  remarks: [],
  expires_at: waiting.approval.expires_at,
  error: null,
  markdown: '## Waiting for approval: `pay_invoice`\n…',
};
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
  waiting: [{ ...waiting, card }],
  ignored_signals: { count: 0, last: [] },
};

/** A session, as lists show it. */
export const exampleNamedSession = {
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
export const exampleSession = {
  ...exampleNamedSession,
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

export const exampleTool = {
  name: 'calculate',
  version: '1.0.0',
  class: 'compute',
  description: 'Works out an expression.',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  agents: ['credit-analyst'],
};
