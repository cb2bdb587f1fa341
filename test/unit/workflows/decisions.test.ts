/** Messages that arrive at a turn: they are read, passed to the approval questions or to the model’s side, and answered. None can fail the turn. */
import { ActivityFailure, ApplicationFailure, type Payload } from '@temporalio/common';
import type { Json } from '../../../src/shared/json/json';
import { Arrivals, deliverSignal, recordUpdateSender } from '../../../src/workflows/sandbox/signals';
import { handleDecisions } from '../../../src/workflows/approvals/decisions';
import type { TurnData } from '../../../src/workflows/turn/state';
import { DIGEST, fieldsOf } from './support/questions';

interface Handler {
  handle: (...args: any[]) => any;
  description: string;
  validator?: (...args: any[]) => void;
}
const handlers = new Map<string, Handler>();
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/common'),
  defineSignal: (name: string) => `signal ${name}`,
  defineUpdate: (name: string) => `update ${name}`,
  setHandler: (name: string, handle: Handler['handle'], options: Omit<Handler, 'handle'>) =>
    handlers.set(name, { handle, ...options }),
  currentUpdateInfo: () => ({ id: 'update-1' }),
}));

jest.mock('../../../src/workflows/activities', () => ({}));
jest.mock('../../../src/workflows/sandbox/activator', () => ({ getActivator: () => mockActivator }));
const mockActivator = {};

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const WAITS = { until: '2026-01-01T00:00:10.000Z' };
const settled = () => new Promise(setImmediate);

let data: TurnData;
let questions: { decide: jest.Mock; open: jest.Mock };
let forwarding: { take: jest.Mock };
let loop: { steering: { say: jest.Mock; refusalReason: jest.Mock }; interruption: { say: jest.Mock } };

function handle(withModel = true): void {
  handlers.clear();
  data = { ignored: { count: 0, last: [] } } as never;
  questions = { decide: jest.fn(() => null), open: jest.fn(() => ['what is open']) };
  forwarding = { take: jest.fn() };
  loop = {
    steering: { say: jest.fn(() => null), refusalReason: jest.fn(() => null) },
    interruption: { say: jest.fn(() => null) },
  };
  handleDecisions({ data, questions, forwarding, arrivals: new Arrivals(false) } as never, withModel ? (loop as never) : null);
}
beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['setImmediate'] });
  handle();
});
afterEach(() => jest.useRealTimers());

function payload(body: Json, encoding = 'json/plain'): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(JSON.stringify(body)) };
}

function arrives(name: string, ...payloads: Payload[]): void {
  deliverSignal({ name, identity: 'web', payloads });
}

/** The reason why the last signal was ignored. */
const ignored = () => data.ignored.last.at(-1)?.reason;

const CALL = { call: DIGEST, by: 'ana' };

describe('the Web UI', () => {
  it('lists each signal with the text to paste', () => {
    const described = [...handlers].map(([name, { description }]) => [name, description]);
    expect(Object.fromEntries(described)).toEqual({
      'signal answer':
        'Answer a question of the model. Paste {"call": "<digest from the card>", "by": "<your name>", "value": <the answer>, "note": "<optional>"}.',
      'signal approve':
        'Approve one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<optional>"}; with "input": {…} another input is asked about instead.',
      'signal deny':
        'Deny one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<the model reads it>"}.',
      'signal settle':
        'Say what became of a call in doubt. Paste {"call": "<digest>", "by": "<your name>", "outcome": "applied" or "not_applied", "note": "<optional>"}.',
      'signal steer':
        'Say something to the model before its next step. Paste {"text": "<what it shall read>", "by": "<your name>"}.',
      'signal interrupt':
        'Ends the turn before its next step; the conversation can go on afterwards. Paste {"by": "<your name>"}.',
      'update answer': 'An answer to a question of the model: {"call": "…", "by": "…", "value": …}.',
      'update complete': 'Completes a call that ends later; the gateway sends it: {"call": "…", "completion_ref": "…"}.',
      'update decide': 'A decision with an answer: {"decision": "approve" | "deny" | "settle", "call": "…", "by": "…", …}.',
      'update interrupt': 'Ends the turn before its next step, with an answer: {"by": "…"}.',
      'update steer': 'A message to the running turn, with an answer: {"text": "…", "by": "…"}.',
    });
    for (const [name, { handle: signal }] of handlers) if (name.startsWith('signal')) expect(signal()).toBeUndefined();
  });

  it('lists no signals for the model if there is no model', () => {
    handle(false);
    expect([...handlers.keys()].filter((name) => name.startsWith('signal'))).toEqual([
      'signal approve',
      'signal deny',
      'signal settle',
      'signal answer',
    ]);
  });
});

describe('a signal', () => {
  it.each([
    ['approve', CALL],
    ['deny', { ...CALL, note: 'no' }],
    ['settle', { ...CALL, outcome: 'applied' }],
  ] as const)('%s goes to the approval questions', (kind, body) => {
    arrives(kind, payload(body));
    const sent = [kind, fieldsOf(kind, body), { channel: 'signal', identity: 'web' }];
    expect(forwarding.take.mock.calls).toEqual([[...sent, ['what is open']]]);
    expect(questions.decide.mock.calls).toEqual([sent]);
    expect(data.ignored.count).toBe(0);
  });

  it('goes to a sub-agent instead, where one waits for it', () => {
    forwarding.take.mockReturnValue('it goes on');
    arrives('approve', payload(CALL));
    expect(questions.decide).not.toHaveBeenCalled();
    expect(ignored()).toBe('it goes on');
  });

  it('that the approval questions ignore is listed, with its time and sender', async () => {
    questions.decide.mockReturnValue('too late');
    arrives('approve', payload(CALL));
    const listed = { at: '2026-01-01T00:00:00.000Z', signal: 'approve', identity: 'web', reason: 'too late' };
    expect(data.ignored).toEqual({ count: 1, last: [listed] });
    questions.decide.mockReturnValue(Promise.resolve('junk'));
    arrives('approve', payload(CALL));
    await settled();
    expect([data.ignored.count, ignored()]).toEqual([2, 'junk']);
    questions.decide.mockReturnValue(Promise.resolve(null));
    arrives('approve', payload(CALL));
    await settled();
    expect(data.ignored.count).toBe(2);
  });

  it.each<[string, unknown, string]>([
    ['an error', new Error('no worker'), 'no worker'],
    ['a text', 'no worker', 'unreadable'],
    ['nothing', undefined, 'unreadable'],
  ])('whose check fails with %s is listed', async (_what, error, text) => {
    questions.decide.mockReturnValue(Promise.reject(error as Error));
    arrives('approve', payload(CALL));
    await settled();
    expect(ignored()).toBe(`it could not be checked: ${text}`);
  });

  it.each<[string, Payload[], string]>([
    ['with no payload', [], 'it carries no payload'],
    ['with two payloads', [payload(CALL), payload(CALL)], 'it carries 2 payloads; one is allowed'],
    ['in another encoding', [payload(CALL, 'binary/plain')], 'its encoding is "binary/plain", not json/plain'],
    ['of another form', [payload([])], 'it must be one JSON object such as {"call": "…", "by": "…"}'],
  ])('%s is listed, and has no effect', (_what, payloads, reason) => {
    arrives('approve', ...payloads);
    expect(ignored()).toBe(reason);
    expect(questions.decide).not.toHaveBeenCalled();
  });

  it.each(['approved', '', 'toString', 'constructor'])('%j is not known', (name) => {
    arrives(name, payload(CALL));
    expect(ignored()).toBe(`there is no signal ${JSON.stringify(name)}`);
    expect(questions.decide).not.toHaveBeenCalled();
  });

  it('steer and interrupt go to the model’s side', () => {
    arrives('steer', payload({ text: 'Stop.', by: 'ana' }));
    const fields = { text: 'Stop.', by: 'ana', attestation: null };
    expect(loop.steering.say.mock.calls).toEqual([[fields, { channel: 'signal', identity: 'web' }]]);
    arrives('interrupt', payload({ by: 'ana' }));
    expect(loop.interruption.say.mock.calls).toEqual([[{ by: 'ana' }]]);
    expect(data.ignored.count).toBe(0);
    loop.interruption.say.mockReturnValue('the turn has ended');
    arrives('interrupt', payload({ by: 'ana' }));
    expect(ignored()).toBe('the turn has ended');
    arrives('steer', payload({ by: 'ana' }));
    expect(ignored()).toContain('"text" must be 1 to 4000 characters');
  });

  it('steer and interrupt are ignored where there is no model', () => {
    handle(false);
    arrives('steer', payload({ text: 'Stop.', by: 'ana' }));
    expect(ignored()).toBe('a direct call has no model that could read it');
    arrives('interrupt', payload({ by: 'ana' }));
    expect(ignored()).toBe('a direct call has no steps; cancel it');
  });

  it('of a sub-turn is accepted if it is an object', () => {
    arrives('sub_turn', payload('text'));
    expect(ignored()).toBe('it must be one JSON object');
    arrives('sub_turn', payload({ turn_id: 'nobody' }));
    expect(data.ignored.count).toBe(2);
    expect(ignored()).not.toBe('it must be one JSON object');
  });
});

describe('an update', () => {
  const update = (name: string, body: Json, waits?: Json) =>
    handlers.get(`update ${name}`)!.handle(body, waits) as Promise<unknown>;
  const refusal = (name: string, body: Json, waits?: Json): unknown => {
    try {
      handlers.get(`update ${name}`)!.validator!(body, waits);
    } catch (error) {
      expect(error).toBeInstanceOf(ApplicationFailure);
      const { message, type, nonRetryable } = error as ApplicationFailure;
      return { message, type, nonRetryable };
    }
    return null;
  };
  const refused = (message: string, type: string) => ({ message, type, nonRetryable: true });
  const decision = { decision: 'approve', ...CALL };

  it('is answered, and has its sender, until when he waits, and when it was accepted', async () => {
    recordUpdateSender('update-1', 'cli');
    expect(await update('decide', decision, WAITS)).toEqual({ accepted: true, reason: null });
    const from = { channel: 'update', identity: 'cli', until: WAITS.until, at: '2026-01-01T00:00:00.000Z' };
    expect(questions.decide.mock.calls).toEqual([['approve', fieldsOf('approve', CALL), from]]);
  });

  it('without a time has none', async () => {
    await update('decide', decision);
    expect(questions.decide.mock.calls[0]![2]).toEqual({ channel: 'update', identity: '' });
  });

  it('that is ignored is answered with the reason', async () => {
    questions.decide.mockReturnValue('too late');
    expect(await update('decide', decision)).toEqual({ accepted: false, reason: 'too late' });
    expect(await update('decide', { ...decision, call: 'x' })).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('"call" must be the first 12'),
    });
    expect(data.ignored.count).toBe(0);
  });

  it('whose check fails is answered with the kind of failure', async () => {
    const cause = new Error('the key service is down');
    const failed = new ActivityFailure('Activity failed', 'checkDecision', '1', 'NON_RETRYABLE_FAILURE', undefined, cause);
    questions.decide.mockReturnValue(Promise.reject(failed));
    const reason = 'it could not be checked: the key service is down';
    expect(await update('decide', decision)).toEqual({ accepted: false, reason });
    questions.decide.mockReturnValue(Promise.reject(new Error('no worker', { cause })));
    expect(await update('decide', decision)).toEqual({ accepted: false, reason: 'it could not be checked: no worker' });
    failed.cause!.message = 'x'.repeat(1000);
    for (const long of [failed, new Error('x'.repeat(1000))]) {
      questions.decide.mockReturnValue(Promise.reject(long));
      expect(await update('decide', decision)).toEqual({
        accepted: false,
        reason: `it could not be checked: ${'x'.repeat(300)}`,
      });
    }
  });

  it('of a decision is refused before history if it is malformed or too large', () => {
    expect(refusal('decide', decision, WAITS)).toBeNull();
    const none = refused('"decision" must be "approve", "deny" or "settle"', 'holdfast.bad_decision');
    expect(refusal('decide', { ...decision, decision: 'steer' })).toEqual(none);
    expect(refusal('decide', { ...decision, decision: 'toString' })).toEqual(none);
    expect(refusal('decide', { ...decision, decision: ['approve'] })).toEqual(none);
    expect(refusal('decide', [])).toEqual(none);
    expect(refusal('decide', CALL)).toEqual(none);
    const bytes = JSON.stringify({ ...decision, note: '' }).length;
    expect(refusal('decide', { ...decision, note: 'x'.repeat(256_000 - bytes) })).toBeNull();
    expect(refusal('decide', { ...decision, note: 'x'.repeat(256_001 - bytes) })).toEqual(
      refused('it has 256001 bytes; 256000 are allowed', 'holdfast.bad_decision'),
    );
  });

  it.each(['decide', 'interrupt', 'steer'])('%s is refused before history if nobody waits for it any more', (name) => {
    const body = { decide: decision, interrupt: { by: 'ana' }, steer: { text: 'Stop.', by: 'ana' } }[name] as Json;
    expect(refusal(name, body, WAITS)).toBeNull();
    jest.setSystemTime(NOW + 11_000);
    expect(refusal(name, body, WAITS)).toMatchObject({ type: 'holdfast.too_late' });
  });

  it('interrupt ends the turn, and is answered', async () => {
    expect(await update('interrupt', { by: 'ana' }, WAITS)).toEqual({ accepted: true, reason: null });
    expect(loop.interruption.say.mock.calls).toEqual([[{ by: 'ana' }]]);
    expect(refusal('interrupt', { by: '' })).toEqual(
      refused('it must be one JSON object {"by": "…"} that names who says it, in 1 to 200 characters', 'holdfast.bad_interrupt'),
    );
    handle(false);
    expect(await update('interrupt', { by: 'ana' })).toEqual({
      accepted: false,
      reason: 'a direct call has no steps; cancel it',
    });
  });

  it('steer goes to the model’s side, and is answered', async () => {
    recordUpdateSender('update-1', 'cli');
    expect(await update('steer', { text: 'Stop.', by: 'ana' }, WAITS)).toEqual({ accepted: true, reason: null });
    const from = { channel: 'update', identity: 'cli', until: WAITS.until, at: '2026-01-01T00:00:00.000Z' };
    expect(loop.steering.say.mock.calls).toEqual([[{ text: 'Stop.', by: 'ana', attestation: null }, from]]);
  });

  it('steer is refused before history if nothing is accepted any more', () => {
    expect(refusal('steer', { by: 'ana' })).toEqual(
      refused('"text" must be 1 to 4000 characters for the model to read', 'holdfast.bad_steer'),
    );
    loop.steering.refusalReason.mockReturnValue('the run is full');
    expect(refusal('steer', { text: 'Stop.', by: 'ana' })).toEqual(refused('the run is full', 'holdfast.bad_steer'));
    handle(false);
    expect(refusal('steer', { text: 'Stop.', by: 'ana' })).toEqual(
      refused('a direct call has no model that could read it', 'holdfast.bad_steer'),
    );
  });
});
