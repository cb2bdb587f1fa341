/** The reader returns what the writers of blocks wrote; for any other value each field is null, or empty. */
import fc from 'fast-check';
import { blocksOf, lastOf, messageContent, readBlock, type ReadBlock } from '../../../src/record/read-block';
import {
  admissionBlock,
  decisionBlocks,
  dispatchBlock,
  effectBlock,
  endBlock,
  messageBlock,
  resultsBlock,
  settlementBlock,
  startBlock,
  steerBlock,
  summaryBlock,
  type BlockContent,
} from '../../../src/record/write-block';
import { callSubject, turnSubject } from '../../../src/record/subject';
import { PLAIN_POLICY, type Decision } from '../../../src/shared/approval/approval';
import { callError } from '../../../src/shared/wire/errors';
import type { Json } from '../../../src/shared/json/json';
import { BLOCK_KINDS } from '../../../src/shared/turn/transcript';

const AT = '2026-01-31T10:00:00.000Z';
const hash = (char: string) => char.repeat(64);
const turn = {
  turn_id: 't1',
  workflow_id: 'turn/t1',
  first_execution_run_id: 'run-1',
  agent: 'payables',
  requester: 'acme/rita',
  session_id: null,
  trace_id: 'trace_1',
  store_id: 'store-1',
};
const call = { id: '1.1', tool: 'pay', version: '1.0.0', class: 'destructive' as const, revision: 2 };
const subject = callSubject(turn, call);
const parent = {
  turn_id: 't0',
  workflow_id: 'turn/t0',
  first_execution_run_id: 'run-0',
  call_id: '1.1',
  digest: hash('d'),
  head: hash('e'),
  within: ['plan' as const],
  untrusted: true,
  depth_left: 2,
};
const given: Decision = {
  decision: 'deny',
  digest: hash('d'),
  run_id: 'run-1',
  by: 'ana',
  note: 'No.',
  at: AT,
  expires_at: AT,
  card_ref: null,
  channel: 'signal',
  identity: 'ui',
};

function read({ kind, bodies }: BlockContent): ReadBlock | null {
  return readBlock({ block: { kind }, bodies });
}

describe('what is written is read', () => {
  test('a start, of a turn and of a direct call', () => {
    const described = { name: 'payables', prompt_hash: hash('a'), tools: ['pay@1.0.0'] };
    const refs = { policy_ref: hash('b'), definition_ref: hash('c') };
    const outside = { tools: ['crm__find@1.2.0'], missing: ['gone'] };
    const start = { ...turn, parent, agent: described, ...refs, message_hash: hash('f'), outside, attestation: 'signed' };
    expect(read(startBlock(start))).toEqual({
      kind: 'start',
      ...turn,
      ...refs,
      parent,
      message_hash: hash('f'),
      outside: outside.tools,
      attestation: 'signed',
      signed_for: null,
    });
    const signed_for = { agent: '', message_hash: hash('f') };
    const direct = { ...turn, agent: null, policy_ref: null, definition_ref: null, call: { tool: 'pay', asked_hash: hash('a') } };
    expect(read(startBlock({ ...direct, attestation: 'signed', signed_for }))).toMatchObject({
      agent: null,
      parent: null,
      outside: [],
      signed_for,
    });
  });

  test('messages: content, results of calls, what people send', () => {
    const text = { type: 'text', text: 'Pay it.' };
    expect(read(messageBlock('assistant', [text]))).toEqual({
      kind: 'message',
      role: 'assistant',
      steer: null,
      sub_turns: [],
      content: [text],
      origin: null,
    });
    const below = { call_id: '1.1', turn_id: 't2', workflow_id: 'turn/t2', first_execution_run_id: 'run-2', head: hash('a') };
    expect(read(resultsBlock([text], [below]))).toMatchObject({
      role: 'user',
      sub_turns: [{ call_id: '1.1', turn_id: 't2', head: hash('a') }],
    });
    const steer = {
      text: 'Only what is due.',
      by: 'mia',
      at: AT,
      channel: 'signal' as const,
      identity: 'ui',
      attestation: 'signed',
    };
    expect(read(steerBlock(steer))).toMatchObject({
      role: 'user',
      steer: { by: 'mia', at: AT, attestation: 'signed' },
      content: [{ type: 'text', text: steer.text }],
    });
  });

  test('an admission, of a model request and of a direct call', () => {
    const error = callError('INVALID_PARAMS', 'bad', 'Bad.');
    const named = { tool_use_id: 'use_1', tool: 'pay', version: '1.0.0', class: 'destructive', reason: 'rule' };
    const asked = { ...named, call_id: '1.1', verdict: 'rejected' as const, error, input: {}, asked: '{}', facts: null };
    const request = {
      message_id: 'msg_1',
      request_id: null,
      model: 'claude',
      stop_reason: 'tool_use',
      usage: { input_tokens: 1 },
      container: { id: 'c1', expires_at: AT },
      context_window: 1000,
      server_tools: [],
      catalogue: { shown: null, tokens: 1 },
      definition_ref: hash('c'),
      subject: turnSubject(turn),
    };
    expect(read(admissionBlock(request, [asked]))).toMatchObject({
      kind: 'admission',
      direct: false,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1 },
      container: { id: 'c1', expires_at: AT },
      context_window: 1000,
      definition_ref: hash('c'),
      subject: turnSubject(turn),
      calls: [{ call_id: '1.1', tool: 'pay', version: '1.0.0', class: 'destructive', verdict: 'rejected' }],
    });
    const direct = { direct: true as const, requester: 'acme/rita', definition_ref: null, subject: turnSubject(turn) };
    expect(read(admissionBlock(direct, []))).toMatchObject({ direct: true, calls: [], container: null, usage: null });
  });

  test('decisions on a call, those on its earlier revisions first', () => {
    const blocks = decisionBlocks(turn, { ...call, earlier: [{ ...given, revision: 1 }] }, [{ ...given, by: 'bob' }]);
    expect(blocks.map(read)).toEqual(
      [
        ['ana', 1],
        ['bob', 2],
      ].map(([by, revision]) => ({
        kind: 'decision',
        decision: 'deny',
        digest: hash('d'),
        by,
        note: 'No.',
        at: AT,
        subject: { ...subject, revision },
      })),
    );
  });

  test('a dispatch, its effect, and the settlement by people or by a probe', () => {
    const about = { call_id: '1.1', digest: hash('d'), idempotency_key: 'key', subject };
    const refs = { input_ref: hash('1'), preview_ref: hash('2'), input_hash: hash('3'), policy_ref: hash('4') };
    const dispatch = { ...about, ...refs, definition_ref: hash('5'), tool: 'pay', version: '1.0.0', dispatch: 1, revision: 2 };
    const approval = { ...PLAIN_POLICY, channel: 'attested' as const, quorum: 2, roles: ['cfo'], remind_ms: [1000] };
    expect(read(dispatchBlock({ ...dispatch, verdict: 'ask', approval }))).toEqual({
      kind: 'dispatch',
      digest: hash('d'),
      idempotency_key: 'key',
      preview_ref: hash('2'),
      approval,
      subject,
    });
    expect(read(effectBlock({ ...about, dispatch: 1, effect: 'applied', result_ref: hash('6') }))).toEqual({
      kind: 'effect',
      digest: hash('d'),
      effect: 'applied',
      result_ref: hash('6'),
      subject,
    });
    const said = { outcome: 'applied' as const, by: 'ana', note: 'Seen.', identity: 'ui', at: AT };
    const settled = { ...about, outcome: 'applied' as const, result_ref: null };
    expect(read(settlementBlock({ ...settled, by: 'ana', note: null, identity: 'ui', settlements: [said] }))).toEqual({
      kind: 'settlement',
      digest: hash('d'),
      outcome: 'applied',
      by: 'ana',
      note: null,
      at: null,
      settlements: [{ outcome: 'applied', by: 'ana', note: 'Seen.', at: AT }],
      subject,
    });
    expect(read(settlementBlock({ ...settled, by: '', probe: 'pay@1.0.0', evidence: 'Paid.' }))).toMatchObject({
      by: null,
      settlements: null,
    });
  });

  test('a summary, and an end', () => {
    const summary = { cleared_to: null, summarized_to: hash('a'), text: 'So far.' };
    expect(read(summaryBlock({ v: 'holdfast.summary/1', ...summary, context_tokens: 1 }))).toEqual({
      kind: 'summary',
      ...summary,
    });
    expect(read(endBlock({ state: 'failed', reason: 'It broke.' }))).toEqual({
      kind: 'end',
      state: 'failed',
      reason: 'It broke.',
      result_of: null,
    });
    const given = endBlock({ state: 'completed', reason: null, result_of: hash('a') });
    expect(read(given)).toEqual({ kind: 'end', state: 'completed', reason: null, result_of: hash('a') });
  });
});

test('for any value in a block, each field has its type', () => {
  const kinds = fc.constantFrom(...BLOCK_KINDS);
  const names = [
    'agent',
    'parent',
    'outside',
    'signed_for',
    'steer',
    'sub_turns',
    'container',
    'origin',
    'passed',
    'usage',
    'subject',
    'settlements',
  ];
  const field = fc.oneof(fc.constantFrom(...names, 'digest', 'by', 'approval', 'tools', 'name'), fc.string());
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, 0, 1.5, '', 'text'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(field, tie('json'), { maxKeys: 6 }),
    ),
  })).json;
  fc.assert(
    fc.property(kinds, fc.array(value, { maxLength: 4 }), (kind, bodies) => {
      const found = readBlock({ block: { kind }, bodies });
      const first = bodies[0];
      if (typeof first !== 'object' || first === null || Array.isArray(first)) return expect(found).toBeNull();
      const empty = readBlock({ block: { kind }, bodies: [{}] })!;
      expect(Object.keys(found!).sort()).toEqual(Object.keys(empty).sort());
      for (const [name, blank] of Object.entries(empty)) {
        const is = (found as unknown as Record<string, unknown>)[name];
        if (Array.isArray(blank)) expect(Array.isArray(is)).toBe(true);
        else if (typeof blank === 'boolean') expect(typeof is).toBe('boolean');
        else if (is !== null) expect(['string', 'number', 'object']).toContain(typeof is);
      }
    }),
  );
});

test('the blocks of one kind come in order, without redacted ones', () => {
  const end = (state: string) => ({ block: { kind: 'end' as const }, bodies: [{ state, reason: null }] });
  const others = [
    { block: { kind: 'end' as const }, bodies: [null] },
    { block: { kind: 'start' as const }, bodies: [{}] },
  ];
  expect(blocksOf('end', [end('a'), ...others, end('b')]).map(({ state }) => state)).toEqual(['a', 'b']);
});

it('the last block of one kind is read; if it cannot be read, no earlier one is', () => {
  const end = (state: Json) => ({ block: { kind: 'end' as const }, bodies: [state === null ? null : { state, reason: null }] });
  const start = { block: { kind: 'start' as const }, bodies: [{}] };
  expect(lastOf('end', [end('a'), end('b'), start])).toMatchObject({ kind: 'end', state: 'b' });
  expect(lastOf('end', [end('a'), end(null)])).toBeNull();
  expect(lastOf('end', [start])).toBeNull();
});

it('reads a block that may change again each time, and a block that cannot change only once', () => {
  const bodies: Json[] = [{ state: 'completed', reason: null }];
  const stored = { block: { kind: 'end' as const }, bodies };
  const before = readBlock(stored);
  bodies[0] = { state: 'failed', reason: 'x' };
  expect([before, readBlock(stored)]).toMatchObject([{ state: 'completed' }, { state: 'failed' }]);
  Object.freeze(bodies);
  expect(readBlock(stored)).toMatchObject({ state: 'failed' });
  expect(readBlock(stored)).toBe(readBlock(stored));
});

it('gives the content of a message whose head was redacted, without redacted parts', () => {
  const piece = { type: 'text', text: 'Pay it.' };
  expect(messageContent([null, piece, null])).toEqual([piece]);
  expect(messageContent([{ role: 'user' }, piece])).toEqual([piece]);
  expect(messageContent([])).toEqual([]);
});
