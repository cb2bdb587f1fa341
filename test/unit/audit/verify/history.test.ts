/** A turn's history, event by event: rules H1 and H2, and what later rules use of it. Its calls: history-calls.test.ts. */
import { Attestations } from '../../../../src/audit/verify/attestations';
import { History } from '../../../../src/audit/verify/history';
import { UNKNOWN } from '../../../../src/audit/verify/values';
import type { RunBody, TurnBody } from '../../../../src/audit/format/lines';
import type { JsonObject } from '../../../../src/shared/json/json';
import { at, event, GONE, HandRun, HASH, payloads, Reports, TURN, type Fields } from '../../../support/audit/hand-events';

function begun(turn: Partial<TurnBody> = {}) {
  const history = new History({ ...TURN, ...turn }, 'n', new Attestations([]));
  const reports = new Reports();
  const run = new HandRun((one) => history.event(one, reports.report));
  const begin = (attributes: Fields = {}, began: RunBody['began'] = 'start', run_id = 'r', seconds = 0) => {
    history.beginRun({ run_id, began });
    run.begin({ input: payloads({ turn_id: 't' }), ...attributes }, seconds);
    return reports.taken();
  };
  return { history, reports, run, begin };
}
const ms = (seconds: number) => Date.parse(at(seconds));

describe('the order of events (H1)', () => {
  const { history, reports, begin } = begun();
  const taken = (one: JsonObject) => {
    begin();
    history.event(one, reports.report);
    return reports.taken();
  };

  it('counts from 1', () => {
    expect(taken(event('TIMER_FIRED', {}, { id: 2 }))).toEqual([]);
    const why = (id: string, n: number) =>
      `H1: Event ${id} of the run stands where event ${n} must be: events are missing, or were moved`;
    expect(taken(event('TIMER_FIRED', {}, { id: 3 }))).toEqual([why('"3"', 2)]);
    expect(taken({ ...event('TIMER_FIRED', {}), eventId: 2 })).toEqual([why('2', 2)]);
  });

  it('needs events that have a type and a time', () => {
    const { eventType: _, ...untyped } = event('TIMER_FIRED', {}, { id: 2 });
    expect(taken(untyped)).toEqual(['H1: The event has no type']);
    expect(taken({ ...event('TIMER_FIRED', {}, { id: 2 }), eventTime: 'now' })).toEqual(['H1: The event has no time']);
  });

  it('follows their times, except for the difference that two clocks may have', () => {
    const early = ['H1: The event lies before an event that came before it: the times were changed'];
    expect(taken(event('TIMER_FIRED', {}, { id: 2, seconds: -60 }))).toEqual([]);
    expect(taken(event('TIMER_FIRED', {}, { id: 2, seconds: -60.001 }))).toEqual(early);
    // The start of an activity is recorded only with its answer.
    expect(taken(event('ACTIVITY_TASK_STARTED', {}, { id: 2, seconds: -600 }))).toEqual([]);
    history.event(event('TIMER_FIRED', {}, { id: 3, seconds: -60.001 }), reports.report);
    expect(reports.taken()).toEqual(early);
  });

  it('begins anew in each run; the turn has the times of its first and of its latest event', () => {
    const other = begun();
    expect([other.history.began, other.history.latest]).toEqual([NaN, -Infinity]);
    other.begin();
    other.run.tell('TIMER_FIRED', {}, 500);
    other.run.tell('TIMER_FIRED', {}, 490);
    expect(other.begin({ continuedExecutionRunId: 'r' }, 'continued', 's', 100)).toEqual([]);
    expect([other.history.began, other.history.latest]).toEqual([ms(0), ms(500)]);
  });
});

describe('the beginning of a run (H2)', () => {
  const notThis =
    "H2: The run does not begin with the start of this turn's workflow: it is of another turn, or its beginning is missing";
  const otherwise = (began: string) => `H2: The run is said to have begun otherwise (${began}) than its first event says`;

  it('is the start of the workflow of the turn', () => {
    expect(begun().begin()).toEqual([]);
    expect(begun().begin({ firstExecutionRunId: 'other' })).toEqual([notThis]);
    const { history, reports } = begun();
    history.beginRun({ run_id: 'r', began: 'start' });
    history.event(event('TIMER_FIRED', { firstExecutionRunId: 'r' }), reports.report);
    expect(reports.taken()[0]).toBe(notThis);
  });

  it('is a start, a continuation or a reset, as the run line says', () => {
    expect(begun().begin({ originalExecutionRunId: 'r' })).toEqual([]);
    expect(begun().begin({ originalExecutionRunId: 'r' }, 'reset')).toEqual([otherwise('reset')]);
    expect(begun().begin({ originalExecutionRunId: 's' })).toEqual([otherwise('start')]);
    expect(begun().begin({ originalExecutionRunId: 's', continuedExecutionRunId: 'q' }, 'reset')).toEqual([]);
    expect(begun().begin({ originalExecutionRunId: '' }, 'reset')).toEqual([otherwise('reset')]);
    expect(begun().begin({ continuedExecutionRunId: 'q' })).toEqual([otherwise('start')]);
    expect(begun().begin({ continuedExecutionRunId: 'q' }, 'continued')).toEqual([]);
    expect(begun().begin({}, 'continued')).toEqual([otherwise('continued')]);
  });

  it('has the argument of the turn', () => {
    const given = (argument: unknown, turn: Partial<TurnBody> = {}) => begun(turn).begin({ input: payloads(argument) });
    expect(given({ turn_id: 'u' })).toEqual(['H2: The run was started for turn "u"']);
    const parent = { turn_id: 'above', call_id: '1.1' };
    const notAnswered = 'H2: The turn was not started by the call that it is said to answer';
    expect(given({ turn_id: 't', parent }, { parent })).toEqual([]);
    expect(given({ turn_id: 't', parent: { ...parent, call_id: '1.2' } }, { parent })).toEqual([notAnswered]);
    expect(given({ turn_id: 't', parent: { ...parent, turn_id: 'other' } }, { parent })).toEqual([notAnswered]);
    expect(given({ turn_id: 't' }, { parent })).toEqual([notAnswered]);
    expect(given({ turn_id: 't', parent })).toEqual([]);
    expect(begun({ parent }).begin({ input: { payloads: [{ redacted: true }] } })).toEqual([]);
  });

  it('says for the first run how the turn was started', () => {
    const { history, begin } = begun();
    expect([history.argument, history.startedBy, history.startedWith]).toEqual([UNKNOWN, null, {}]);
    const with_ = { workflowType: { name: 'turn' }, taskQueue: { name: 'q' }, memo: { fields: {} }, searchAttributes: { a: 1 } };
    const by = { parentWorkflowExecution: { workflowId: 'session/s', runId: 'sr' }, parentInitiatedEventId: '7' };
    begin({ ...with_, ...by });
    expect(history.argument).toEqual({ turn_id: 't' });
    expect(history.startedWith).toEqual(with_);
    expect(history.startedBy).toEqual({ workflow_id: 'session/s', run_id: 'sr', event_id: '7' });
    begin({ continuedExecutionRunId: 'r', input: payloads({ turn_id: 't', resume: {} }) }, 'continued', 's');
    expect([history.argument, history.startedWith]).toEqual([{ turn_id: 't' }, with_]);
  });

  it('may say little for the first run', () => {
    const { history, begin } = begun();
    begin({ parentWorkflowExecution: {} });
    expect(history.startedWith).toEqual({ workflowType: null, taskQueue: null, memo: null, searchAttributes: null });
    expect(history.startedBy).toEqual({ workflow_id: null, run_id: null, event_id: null });
    const alone = begun();
    alone.begin({ parentWorkflowExecution: null });
    expect(alone.history.startedBy).toBeNull();
  });

  it('does not say how the turn was started, if the run is not the first', () => {
    const { history, begin } = begun();
    expect(history.whole).toBe(false);
    begin({ workflowType: { name: 'turn' }, continuedExecutionRunId: 'r' }, 'continued', 'later');
    expect([history.whole, history.argument, history.startedWith]).toEqual([false, UNKNOWN, {}]);
    const whole = begun();
    whole.begin();
    expect(whole.history.whole).toBe(true);
  });

  it('by a reset is known to the turn', () => {
    const { history, begin } = begun();
    begin();
    expect(history.wasReset).toBe(false);
    begin({ originalExecutionRunId: 'r' }, 'reset', 's');
    begin({ continuedExecutionRunId: 's' }, 'continued', 'u');
    expect(history.wasReset).toBe(true);
    expect(history.runs).toEqual(['r', 's', 'u']);
  });
});

it('a history ends with an event that closes its workflow', () => {
  const { history, run, begin } = begun();
  begin();
  for (const [type, closes] of [
    ['WORKFLOW_EXECUTION_COMPLETED', true],
    ['WORKFLOW_EXECUTION_FAILED', true],
    ['WORKFLOW_EXECUTION_CANCELED', true],
    ['WORKFLOW_EXECUTION_CANCEL_REQUESTED', false],
    ['EXTERNAL_WORKFLOW_EXECUTION_COMPLETED', false],
    ['WORKFLOW_EXECUTION_COMPLETED_LATER', false],
  ] as const) {
    run.tell(type);
    expect([type, history.isClosed]).toEqual([type, closes]);
  }
  run.tell('WORKFLOW_EXECUTION_COMPLETED');
  begin({ continuedExecutionRunId: 'r' }, 'continued', 's');
  expect(history.isClosed).toBe(false);
});

describe('heads of the transcript', () => {
  const { history, run, begin } = begun();
  begin();
  const head = (name: string, result: unknown) => {
    run.activity(name, {}, result);
    return history.lastHead;
  };

  it('are named by the results of activities', () => {
    expect(history.lastHead).toBeNull();
    expect(head('takeStep', { head: 'a' })).toBe('a');
    expect(head('inspectEffect', { outcome: { head: 'b' } })).toBe('b');
    expect(head('reconcileEffect', { settled: { head: 'c' } })).toBe('c');
    expect(head('runCall', { refused: { head: 'd' } })).toBe('d');
    expect(head('notify', {})).toBe('d');
    expect(head('notify', { head: 7 })).toBe('d');
  });

  it('of sub-agents’ turns do not count', () => expect(head('lookAtSubTurn', { head: 'e' })).toBe('d'));

  it('are unknown after a result that was left out', () => {
    expect(head('notify', GONE)).toBe(UNKNOWN);
    expect(head('takeStep', { head: 'f' })).toBe('f');
    expect(head('lookAtSubTurn', GONE)).toBe('f');
  });

  it('are noted when they are given to activities that continue from them', () => {
    const other = begun();
    other.begin();
    for (const name of ['takeStep', 'runCall', 'endTurn', 'settleEffect', 'compact', 'notify'])
      other.run.scheduled(name, { head: name, call: {} });
    other.run.scheduled('takeStep', { head: null });
    expect([...other.history.inputHeads]).toEqual(['takeStep', 'runCall', 'endTurn', 'settleEffect']);
  });
});

describe('blocks that activities wrote', () => {
  const named = (name: string, result: unknown) => {
    const { history, run, begin } = begun();
    begin();
    run.activity(name, {}, result);
    return history.namedBlocks.map(({ ref, kinds, admits }) => [ref, kinds.join(' or '), admits]);
  };
  const calls = [{ input_ref: 'i' }, { input_ref: 'j' }];

  it('are the admission of a step, and its end block', () => {
    expect(named('takeStep', { head: 'h', next: 'calls', calls })).toEqual([['h', 'admission', 'i,j']]);
    expect(named('takeStep', { head: 'h', answer_head: 'a', next: 'end', calls: [] })).toEqual([
      ['h', 'end', null],
      ['a', 'admission', ''],
    ]);
    expect(named('takeStep', { head: 'h', answer_head: null, next: 'end' })).toEqual([
      ['h', 'end', null],
      ['h', 'admission', ''],
    ]);
    // An older build did not record where the answer is before the end.
    expect(named('takeStep', { head: 'h', next: 'end' })).toEqual([]);
  });

  it.each<[string, unknown, unknown[]]>([
    ['admitDirect', { head: 'h', call: { input_ref: 'i' } }, ['h', 'admission', 'i']],
    ['endTurn', { head: 'h' }, ['h', 'end', null]],
    ['runCall', { head: 'h' }, ['h', 'effect or settlement', null]],
    ['settleEffect', { head: 'h' }, ['h', 'effect or settlement', null]],
    ['reconcileEffect', { settled: { head: 'h' } }, ['h', 'effect or settlement', null]],
  ])('by %s', (name, result, one) => {
    expect(named(name, result)).toEqual([one]);
    expect(named(name, { ...(result as object), head: 7, settled: 7 })).toEqual([]);
  });

  it('by other activities are not noted', () => expect(named('compact', { head: 'h', settled: { head: 'i' } })).toEqual([]));
});

describe('outcomes of calls', () => {
  const { history, run, begin } = begun();
  begin();
  const told = (name: string, result: unknown, seconds = 2) => {
    const id = run.scheduled(name, { call: { digest: `of ${name}` } });
    run.completed(id, result, seconds);
    return history.outcomes.at(-1);
  };

  it('come from the activities that run or settle calls', () => {
    const outcome = { head: 'h', effect: 'applied' };
    for (const [name, result] of [
      ['runCall', outcome],
      ['settleEffect', outcome],
      ['inspectEffect', { outcome }],
      ['reconcileEffect', { settled: outcome }],
    ] as const)
      expect(told(name, result)).toEqual({ ...outcome, digest: `of ${name}`, at: ms(2) });
    const before = history.outcomes.length;
    told('notify', { ...outcome, outcome, settled: outcome });
    told('inspectEffect', { outcome: null });
    told('reconcileEffect', outcome);
    expect(history.outcomes.length).toBe(before);
  });

  it('name a block, with a time', () => {
    expect(history.outcomesAt('h')).toHaveLength(4);
    expect(history.outcomesAt('i')).toEqual([]);
    expect(history.outcomeTime('i')).toBeUndefined();
    told('runCall', { head: 'h', effect: 'applied' }, 9);
    told('runCall', { head: 'h', effect: 'applied' }, 8);
    told('runCall', { effect: 'refused' }, 20);
    expect(history.outcomeTime('h')).toBe(ms(9));
  });
});

describe('what is unknown after a payload was left out', () => {
  const unknown = (name: string, argument: unknown, result: unknown) => {
    const { history, run, begin } = begun();
    begin();
    run.activity(name, argument, result);
    return Object.entries(history.unknown).flatMap(([what, is]) => (is ? [what] : []));
  };

  it.each([
    ['runCall', ['calls', 'digests'], ['outcomes']],
    ['settleEffect', ['digests'], ['outcomes']],
    ['inspectEffect', ['digests'], ['outcomes']],
    ['reconcileEffect', ['digests'], ['outcomes']],
    ['admitCall', ['questions'], ['escalations']],
    ['takeStep', [], ['admitted']],
    ['admitDirect', [], ['admitted']],
    ['notify', [], []],
  ])('in %s', (name, ofArgument, ofResult) => {
    expect(unknown(name, {}, {})).toEqual([]);
    expect(unknown(name, GONE, {})).toEqual(ofArgument);
    expect(unknown(name, {}, GONE)).toEqual(ofResult);
  });

  it('stays unknown', () => {
    const { history, run, begin } = begun();
    begin();
    run.activity('runCall', {}, GONE);
    run.activity('takeStep', {}, GONE);
    run.activity('runCall', {}, {});
    run.activity('takeStep', {}, {});
    expect(history.unknown).toMatchObject({ outcomes: true, admitted: true });
  });

  it('leaves the outcome of a call without a digest, if it was the argument', () => {
    const { history, run, begin } = begun();
    begin();
    run.activity('runCall', GONE, { head: HASH.head, effect: 'applied' });
    expect(history.outcomes).toEqual([{ digest: undefined, head: HASH.head, effect: 'applied', at: ms(1) }]);
  });
});

it('admitted calls are kept by their inputs', () => {
  const { history, run, begin } = begun();
  begin();
  const call = { id: '1.1', tool: 'pay', version: '1', class: 'write', verdict: 'ask', input_ref: 'i' };
  const { input_ref: _, ...kept } = call;
  run.activity('takeStep', {}, { calls: [call, { ...call, id: '1.2', input_ref: 'j' }] });
  run.activity('admitDirect', {}, { call: { ...call, input_ref: 'k' } });
  run.activity('admitCall', {}, { call: { ...call, input_ref: 'l' } });
  expect([...history.admittedCalls]).toEqual([
    ['i,j', [kept, { ...kept, id: '1.2' }]],
    ['k', [kept]],
  ]);
});
