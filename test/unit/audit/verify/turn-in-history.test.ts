/** What a turn's history records twice about the turn as a whole: its start, its search attributes, its steps (rules D1 and D2). */
import { asAttributes, fieldsOf } from '../../../../src/audit/verify/turn-in-history';
import { hashOf } from '../../../../src/audit/verify/values';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { at, carrying, GONE, payload, payloads, type Fields } from '../../../support/audit/hand-events';
import { Scene, left } from '../../../support/audit/turn-in-history-scene';

describe('the start of a turn (D1)', () => {
  const says = (argument: unknown, facts: Fields, started: Fields = {}) =>
    Object.entries(facts).flatMap(([fact, value]) => {
      const scene = () => new Scene({ argument, started });
      expect([fact, scene().otherwise({ [fact]: value })]).toEqual([fact, '']);
      return scene().otherwise({ [fact]: 'other' }) || [];
    }).join(' '); // oxfmt-ignore

  it('agrees with its argument', () => {
    const about = { agent: 'clerk', session_id: 's', message: 'Pay.' };
    const facts = {
      HoldfastAgent: 'clerk',
      HoldfastRequester: 'x/rita',
      HoldfastSession: 's',
      message_hash: hashOf('Pay.'),
      request: hashOf(about),
      tenant: 'x',
    };
    expect(says({ ...about, requester: 'x/rita' }, facts)).toBe(Object.keys(facts).join(' '));
    expect(says({ message: 'Pay.' }, { request: hashOf({ agent: null, message: 'Pay.', session_id: null }) })).toBe('request');
    const call = { agent: 'clerk', tool: 'pay', input_json: '{}', options: { a: 1 } };
    expect(says(call, { request: hashOf(call) })).toBe('request');
    expect(says({ input_json: '{}' }, { request: hashOf({ agent: null, tool: null, input_json: '{}', options: {} }) })).toBe(
      'request',
    );
    for (const silent of [{ message: '' }, { input_json: '' }, { message: 7 }, { input_json: 7 }, { requester: 7 }, GONE])
      expect(says(silent, { request: 'any', tenant: 'any', message_hash: 'any' })).toBe('');
    const parent = { turn_id: 'a', workflow_id: 'b', call_id: 'c', more: 1 };
    expect(says({ parent }, { answers: { turn_id: 'a', workflow_id: 'b', call_id: 'c' } })).toBe('answers');
    expect(says({ parent: {} }, { answers: { turn_id: null, workflow_id: null, call_id: null } })).toBe('answers');
    expect(says({ parent: 'none' }, { answers: 'any' })).toBe('');
  });

  it('agrees with its memo and its search attributes', () => {
    const memo = {
      fields: {
        holdfast_trace: payload('x1'),
        holdfast_request: payload('q'),
        holdfast_of_session: payload({ message_hash: 'm' }),
      },
    };
    expect(says({}, { trace_id: 'x1', request: 'q', message_hash: 'm' }, { memo })).toBe('trace_id request message_hash');
    const searchAttributes = { indexedFields: { HoldfastAgent: payload('clerk'), HoldfastRequester: { redacted: true } } };
    expect(says({}, { HoldfastAgent: 'clerk', HoldfastRequester: 'any' }, { searchAttributes })).toBe('HoldfastAgent');
  });

  it('names the block after which the turn begins, unless the turn continues', () => {
    const beginnings = (argument: unknown) => [...new Scene({ argument }).all.beginnings];
    expect([
      beginnings({ parent_head: 'h' }),
      beginnings({ parent_head: null }),
      beginnings({}),
      beginnings({ parent_head: 'h', resume: {} }),
    ]).toEqual([['h'], [null], [], []]);
    const scene = new Scene();
    scene.run.activity('compact', {}, { head: 'c' });
    scene.run.activity('compact', {}, {});
    expect([...scene.all.beginnings]).toEqual(['c', null]);
  });
});

it('names of people and agents are cut to the length of search attributes', () => {
  expect(asAttributes({ agent: 'é'.repeat(200), requester: 'rita', session_id: '' })).toEqual({
    HoldfastAgent: 'é'.repeat(127),
    HoldfastRequester: 'rita',
  });
  expect(asAttributes({ agent: null, requester: undefined, session_id: 7 })).toEqual({ HoldfastSession: 7 });
});

it('left-out fields of a memo are unknown', () => {
  const value = { fields: { a: payload(1), b: { redacted: true } }, indexedFields: { c: payload(2) } };
  expect([fieldsOf(value, 'fields'), fieldsOf(value, 'indexedFields'), fieldsOf(undefined, 'fields')]).toEqual([
    { a: 1 },
    { c: 2 },
    {},
  ]);
});

describe('the argument that a run hands on (D1)', () => {
  const other = ['D1: The run began with another argument than the run before it has handed on'];
  const goes = (handed: unknown, argument: unknown, before = 'r') => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { input: carrying(handed) });
    return scene.next({ input: carrying(argument) }, before);
  };

  it('is the argument of the next run', () => {
    expect([goes({ a: 1 }, { a: 1 }), goes({ a: 1 }, { a: 2 }), goes({ a: 1 }, { a: 2 }, 'q')]).toEqual([[], other, []]);
    expect([goes(GONE, { a: 2 }), goes({ a: 1 }, GONE)]).toEqual([[], []]);
  });
});

describe('a sub-agent’s turn (D1)', () => {
  const another = (what: string) => [`D1: The turn has another ${what} than the history of the turn above it has`];
  function above(argument: unknown, result: unknown) {
    const children = new Map<string, string | null>();
    const scene = new Scene({ turn: { workflow_id: 'turn/above' }, children });
    const of = { workflowExecution: { workflowId: 'turn/t', runId: 'r' } };
    const initiatedEventId = scene.run.tell('START_CHILD_WORKFLOW_EXECUTION_INITIATED', { input: carrying(argument) });
    scene.run.tell('CHILD_WORKFLOW_EXECUTION_STARTED', { ...of, initiatedEventId });
    scene.run.tell('CHILD_WORKFLOW_EXECUTION_COMPLETED', { ...of, initiatedEventId, result: carrying(result) });
    return children;
  }

  it('has the argument and the result that the turn above has', () => {
    const argument = { turn_id: 't' };
    const begins = (given: unknown, children = above(argument, {})) => new Scene({ argument: given, children }).faults();
    expect([begins(argument), begins({ turn_id: 'u' }), begins(GONE), begins({ turn_id: 'u' }, above(GONE, {}))]).toEqual([
      [],
      another('argument'),
      [],
      [],
    ]);
    const ends = (result: unknown, children = above(GONE, { a: 1 })) => new Scene({ children }).end('COMPLETED', result);
    expect([ends({ a: 1 }), ends({ a: 2 }), ends(GONE), ends({ a: 2 }, above(GONE, GONE))]).toEqual([
      [],
      another('result'),
      [],
      [],
    ]);
    const later = new Scene({ children: above(argument, {}), argument });
    expect(later.next({ input: payloads({ turn_id: 'u' }) })).toEqual([]);
  });
});

describe('search attributes (D1)', () => {
  const shows = (fields: Record<string, unknown>, scene = new Scene()) => {
    const indexed = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === GONE ? { redacted: true } : payload(value)]),
    );
    scene.run.tell('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', { searchAttributes: { indexedFields: indexed as JsonObject } });
    return scene.faults();
  };
  const gone = GONE as unknown as Json;

  it('have the state in which the turn ended', () => {
    const ended = (shown: Json | undefined, state: string, type: 'COMPLETED' | 'CANCELED' = 'COMPLETED') => {
      const scene = new Scene();
      if (shown !== undefined) shows({ HoldfastState: 'running' }, scene);
      if (shown !== undefined) shows({ HoldfastState: shown }, scene);
      return scene.end(type, type === 'CANCELED' ? {} : { calls: [], state });
    };
    const other = (state: string, shown: string) => [
      `D1: The turn has ended as "${state}", and its search attribute says "${shown}"`,
    ];
    expect([ended('completed', 'completed'), ended(undefined, 'completed'), ended(gone, 'completed')]).toEqual([[], [], []]);
    expect([ended('running', 'completed'), ended('running', '', 'CANCELED'), ended('cancelled', '', 'CANCELED')]).toEqual([
      other('completed', 'running'),
      other('cancelled', 'running'),
      [],
    ]);
    const begun = new Scene({ started: { searchAttributes: { indexedFields: { HoldfastState: payload('running') } } } });
    expect(begun.view()).toEqual(other('completed', 'running'));
    const next = new Scene();
    shows({ HoldfastState: 'running' }, next);
    next.next();
    expect(next.view()).toEqual([]);
  });

  it('name tools only while calls wait', () => {
    const waits = (state: Json, tools: Json, scene = new Scene().step({ calls: [{ id: '1.1', tool: 'pay' }] }, { step: 1 })) => {
      scene.faults();
      return shows({ HoldfastState: state, HoldfastTool: tools }, scene);
    };
    const wrong = (state: string, n: number) => [`D1: A turn is "${state}", and its search attribute names ${n} tools that wait`];
    expect([
      waits('running', []),
      waits('awaiting_approval', ['pay']),
      waits('in_doubt', ['pay']),
      waits('completed', ['pay']),
      waits('completed', []),
      waits('running', 'pay'),
    ]).toEqual([[], [], [], [], [], []]);
    expect([waits('running', ['pay']), waits('awaiting_approval', []), waits('in_doubt', [])]).toEqual([
      wrong('running', 1),
      wrong('awaiting_approval', 0),
      wrong('in_doubt', 0),
    ]);
    const nobody = ['D1: A search attribute names the tool "send", which no step has asked for'];
    expect(waits('in_doubt', ['pay', 'send'])).toEqual(nobody);
    expect(waits('in_doubt', ['send'], left(new Scene()))).toEqual([]);
    const opened = new Scene();
    opened.run.scheduled('openSubTurn', {});
    opened.run.scheduled('notify', {});
    expect(waits('in_doubt', ['send'], opened)).toEqual([]);
    const direct = new Scene();
    direct.run.activity('admitDirect', {}, { call: { tool: 'é'.repeat(200) } });
    expect(waits('in_doubt', ['é'.repeat(127)], direct)).toEqual([]);
    const other = new Scene();
    other.run.activity('notify', {}, { calls: [{ tool: 'send' }], call: { tool: 'send' } });
    expect(waits('in_doubt', ['send'], other)).toEqual(nobody);
  });
});

describe('the steps of a turn (D1, D2)', () => {
  it('come one after the other', () => {
    const takes = (step: Json | undefined, scene = new Scene().step({}, { step: 1 })) => {
      scene.run.scheduled('takeStep', { step });
      return scene.faults();
    };
    const after = (step: string, n: number) => [`D1: The turn is said to take step ${step} after ${n} steps`];
    expect([takes(2), takes(undefined), takes(3), takes(1), takes('2')]).toEqual([
      [],
      [],
      after('3', 1),
      after('1', 1),
      after('"2"', 1),
    ]);
    expect([takes(3, left(new Scene())), takes(3, new Scene({ run_id: 'later' }))]).toEqual([[], []]);
    const direct = new Scene();
    direct.run.activity('admitDirect', {}, {});
    expect([takes(2, direct), takes(1, direct)]).toEqual([[], after('1', 1)]);
    const next = new Scene().step({}, { step: 1 });
    next.next();
    expect([takes(2, next), takes(1, next)]).toEqual([[], after('1', 1)]);
    const unknown = new Scene().step();
    unknown.next({}, 'q');
    expect(takes(9, unknown)).toEqual([]);
    const other = new Scene();
    other.run.scheduled('compact', { step: 9 });
    expect(other.faults()).toEqual([]);
  });

  it('number their calls by step and place', () => {
    const numbered = (step: Json, ...ids: string[]) => new Scene().step({ calls: ids.map((id) => ({ id })) }, { step }).faults();
    const wrong = ['D2: A call is numbered as one of another step, or place in it'];
    expect([numbered(1, '1.1', '1.2'), numbered(1)]).toEqual([[], []]);
    expect([numbered(1, '1.2', '1.1'), numbered(1, '2.1'), numbered(1, '1.1', '1.3')]).toEqual([wrong, wrong, wrong]);
    expect(new Scene().step({ calls: [{ id: '9.9' }] }).faults()).toEqual([]);
  });

  it('write blocks at their time; the last block has the state of the turn', () => {
    const told = (result: Fields, argument: Fields, block: string, facts: Fields) => {
      const scene = new Scene().step(result, { step: 1, ...argument });
      scene.faults();
      scene.all.addFacts('block', block, facts, 'the transcript');
      return scene.faults().length;
    };
    const heads = { head: 'h', answer_head: 'a' };
    expect(['h', 'a'].map((block) => told(heads, { at: at(5) }, block, { at: at(6) }))).toEqual([1, 1]);
    const ended = (result: Fields, argument: Fields, state: string) =>
      told({ head: 'h', ...result }, argument, 'h', { state, reason: null });
    expect([
      ended({ next: 'end' }, { all_refused: true }, 'refused'),
      ended({ next: 'end' }, { all_refused: false }, 'completed'),
    ]).toEqual([0, 0]);
    expect([
      ended({ next: 'end' }, { all_refused: true }, 'x'),
      ended({ next: 'calls' }, { all_refused: true }, 'x'),
      ended({ next: 'end' }, {}, 'x'),
    ]).toEqual([1, 0, 0]);
    expect(told({ head: 'h', next: 'end' }, { all_refused: true }, 'h', { reason: 'x' })).toBe(1);
  });

  it('begin under the rules of the turn', () => {
    const under = (tell: (scene: Scene) => unknown) => {
      const scene = new Scene();
      tell(scene);
      return scene.otherwise({ policy_ref: 'x' });
    };
    const policy = { policy: { policy_ref: 'p' } };
    expect([
      under((scene) => scene.step(policy, { message: 'Pay.' })),
      under((scene) => scene.run.activity('admitDirect', {}, policy)),
    ]).toEqual(['policy_ref', 'policy_ref']);
    expect([
      under((scene) => scene.step(policy)),
      under((scene) => scene.step({ policy: 'p' }, { message: 'Pay.' })),
      under((scene) => scene.begin('s', {}, 'reset').step(policy, { message: 'Pay.' })),
    ]).toEqual(['', '', '']);
  });
});
