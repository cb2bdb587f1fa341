/** Turns of sub-agents: what the turn above was told of each (rules D1, D6 and T7). */
import { hashOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GONE, payload, type Fields } from '../../../support/audit/hand-events';
import { ANSWERED, OPEN, OPENED, REPORT, Scene, left } from '../../../support/audit/sub-agents-scene';

describe('the start of a sub-agent’s turn (D1)', () => {
  const PARENT = {
    ...{ turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest: 'd', head: 'h' },
    ...{ within: ['plan'], depth_left: 2, untrusted: false, makers: ['rita', 'ana'], limits: { steps: 3 } },
  };
  const argument = (more: Fields = {}, parent: Fields = {}) => {
    const of = { turn_id: 't.1', agent: 'helper', message: 'Help.', requester: 'rita', trace_id: 'x', parent_head: null };
    return { ...of, parent: { ...PARENT, ...parent }, ...more };
  };
  const started = (more: Fields = {}, parent: Fields = {}, attributes: Fields = {}) =>
    new Scene().open().initiate(argument(more, parent), attributes);
  const twice = (field: string) => [`D1: The start of a sub-agent has ${field} in two ways`];
  const another = (field: string) => [`D1: A turn of a sub-agent was started with another ${field} than it was opened for`];

  it('has the fields with which it was opened', () => {
    expect(started()).toEqual([]);
    for (const field of ['agent', 'message']) expect(started({ [field]: 'other' })).toEqual(another(field));
    for (const field of ['within', 'depth_left', 'digest', 'head', 'untrusted'])
      expect(started({}, { [field]: 'other' })).toEqual(another(field));
    expect(started({}, { call_id: '1.2' })).toEqual(another('call_id'));
  });

  it('names all makers of the call', () => {
    expect(started({}, { makers: ['ana'] })).toEqual(another('makers'));
    expect(started({}, { makers: undefined })).toEqual([]);
  });

  it('stays within the limits with which it was opened', () => {
    const limits = (given: JsonObject | undefined, allowed?: JsonObject) =>
      new Scene().open({}, { limits: allowed ?? null }).initiate(argument({}, { limits: given }));
    expect([
      limits({ steps: 5 }, { steps: 5 }),
      limits(undefined, { steps: 5 }),
      limits({ more: 9 }, { steps: 5 }),
      limits({ steps: 9 }),
    ]).toEqual([[], [], [], []]);
    expect(limits({ steps: 6 }, { steps: 5 })).toEqual(another('limits'));
    expect(limits({ cost: 1, steps: 6 }, { cost: 2, steps: 5 })).toEqual(another('limits'));
  });

  it('names its turn, agent and requester without a contradiction', () => {
    for (const field of ['turn_id', 'workflow_id', 'first_execution_run_id'])
      expect(started({}, { [field]: 'other' })).toEqual(twice(field));
    expect(started({}, {}, { workflowId: 'turn/other' })).toEqual(twice('workflowId'));
    expect(started({ parent_head: 'h' })).toEqual(twice('parent_head'));
    expect(started({ parent_head: undefined })).toEqual([]);
    const shown = (fields: Fields) => started({}, {}, { searchAttributes: { indexedFields: fields as JsonObject } });
    expect(shown({ HoldfastAgent: payload('helper'), HoldfastState: payload('running') })).toEqual([]);
    expect(shown({ HoldfastAgent: payload('other') })).toEqual(twice('HoldfastAgent'));
    expect(shown({ HoldfastRequester: payload('rob') })).toEqual(twice('HoldfastRequester'));
    expect(shown({ HoldfastState: payload('waiting') })).toEqual(twice('HoldfastState'));
    expect(shown({ HoldfastState: { redacted: true } })).toEqual([]);
    const memo = (trace: string) => started({}, {}, { memo: { fields: { holdfast_trace: payload(trace) } } });
    expect([memo('x'), memo('y')]).toEqual([[], twice('trace_id')]);
  });

  it('has the requester and the trace of the turn above', () => {
    const scene = new Scene().open();
    scene.all.addFacts('turn', '', { requester: 'rob', trace_id: 'x' }, 'the history');
    expect(scene.initiate(argument())[0]).toMatch(/^D1: The start of a sub-agent says that requester of the turn is "rita"/);
    const trace = new Scene().open();
    trace.all.addFacts('turn', '', { requester: 'rita', trace_id: 'y' }, 'the history');
    expect(trace.initiate(argument())[0]).toMatch(/says that trace_id of the turn is "x"/);
  });

  it('was opened in the same run', () => {
    const unopened = ['D1: A turn of a sub-agent was started that no activity has opened'];
    expect(new Scene().initiate(argument())).toEqual(unopened);
    expect(new Scene().open({}, { open: false }).initiate(argument())).toEqual(unopened);
    expect(new Scene().open({ sub_turn_id: 't.2' }).initiate(argument())).toEqual(unopened);
    expect(new Scene().open().begin('s').initiate(argument())).toEqual(unopened);
    expect(left(new Scene()).initiate(argument())).toEqual([]);
    const notOpened = new Scene();
    notOpened.run.activity('lookAtSubTurn', OPEN, OPENED);
    expect(notOpened.initiate(argument())).toEqual(unopened);
  });

  it('is not checked if it was left out, or if another workflow was started', () => {
    expect(new Scene().initiate(GONE)).toEqual([]);
    expect(new Scene().initiate({ turn_id: 't.1' })).toEqual([]);
    expect(new Scene().initiate(argument({ parent: 'none' }))).toEqual([]);
  });
});

describe('the report of a sub-agent’s turn (D6)', () => {
  const other = ['D6: A call was answered by another report of its turn than the last that the turn above was given'];
  it('is the one by which its call was answered', () => {
    expect(new Scene().look().close().faults()).toEqual([]);
    expect(
      new Scene()
        .look()
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual(other);
    expect(
      new Scene()
        .look()
        .look({ ...REPORT, head: 'f' })
        .close()
        .faults(),
    ).toEqual(other);
    expect(
      new Scene()
        .look({ ...REPORT, said_by: ['a'] })
        .close({ ...REPORT, said_by: ['b'] })
        .faults(),
    ).toEqual([]);
    expect(
      left(new Scene().look())
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual([]);
    expect(new Scene().close().faults()).toEqual([]);
    expect(
      new Scene()
        .look(REPORT, 'turn/t.2')
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual([]);
  });

  it('is unknown if it was left out', () => {
    expect(
      new Scene()
        .look()
        .look(GONE)
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual([]);
    const closed = new Scene().look();
    closed.run.activity('openSubTurn', OPEN, GONE);
    expect(closed.close({ ...REPORT, head: 'f' }).faults()).toEqual(other);
  });

  it('may come from the opening of the turn', () => {
    const existing = { report: { ...REPORT, said_by: ['a'] } };
    expect(new Scene().open({}, { existing }).close().faults()).toEqual([]);
    expect(
      new Scene()
        .open({}, { existing })
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual(other);
    expect(
      new Scene()
        .open({}, { existing: { report: 'none' } })
        .close()
        .faults(),
    ).toEqual([]);
  });

  it('is known to the run that continues, and to no other', () => {
    const go = (before: string) => new Scene().look().begin('s', { continuedExecutionRunId: before }, 'continued');
    expect(
      go('r')
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual(other);
    expect(
      go('q')
        .close({ ...REPORT, head: 'f' })
        .faults(),
    ).toEqual([]);
  });

  it('names a run that Temporal started', () => {
    const wrong = ['D6: A turn below is said to have begun with another run than Temporal has started'];
    expect(new Scene().began().look().faults()).toEqual([]);
    expect(new Scene().began('c').look().faults()).toEqual(wrong);
    expect(new Scene().began('c').began('b').look().faults()).toEqual([]);
    expect(new Scene().began('c', 'turn/t.2').look().faults()).toEqual([]);
    for (const first_execution_run_id of ['', null])
      expect(
        new Scene()
          .began('c')
          .look({ ...REPORT, first_execution_run_id })
          .faults(),
      ).toEqual([]);
  });
});

describe('the turn that answered a call', () => {
  const outcome = (more: Fields = {}, sub: unknown = ANSWERED) => ({ call_id: '1.1', sub_turn: sub, ...more });
  const told = (scene: Scene, one: unknown, result: unknown = {}) => {
    scene.run.activity('takeStep', { outcomes: [one] }, result);
    return scene.faults();
  };
  const asked = ['D6: An outcome says that another turn has answered the call than was asked for its answer'];

  it('is the same in the outcome of the call as in its answer (D6)', () => {
    expect(told(new Scene().close(), outcome())).toEqual([]);
    expect(told(new Scene(), outcome())).toEqual(asked);
    expect(told(new Scene().close(), outcome({ call_id: '1.2' }))).toEqual(asked);
    for (const field of Object.keys(ANSWERED))
      expect(told(new Scene().close(), outcome({}, { ...ANSWERED, [field]: 'x' }))).toEqual(asked);
    expect(told(new Scene(), outcome({}, 'none'))).toEqual([]);
    expect(told(left(new Scene()), outcome())).toEqual([]);
    expect(told(new Scene(), outcome({ call_id: undefined }))).toEqual(asked);
  });

  it('is the same in the transcript as in the outcome (D6)', () => {
    const one = { call_id: '1.1', ...ANSWERED };
    const written = (sub: unknown, { own = true, kind = 'message' as 'message' | 'decision' } = {}) => {
      const scene = new Scene().close();
      told(scene, outcome());
      if (own) scene.start();
      scene.write(kind, { role: 'user', sub_turns: [sub] });
      return { faults: scene.faults(), written: [...scene.all.hashesInTranscript] };
    };
    const other = ['D6: The transcript says that another turn has answered a call than the outcome of the call does'];
    expect(written(one)).toEqual({ faults: [], written: [hashOf(one)] });
    expect(written({ ...one, head: 'f' }).faults).toEqual(other);
    expect(written({ ...one, head: 'f' }, { own: false })).toEqual({ faults: [], written: [] });
    expect(written({ ...one, head: 'f' }, { kind: 'decision' })).toEqual({ faults: [], written: [] });
    const scene = left(new Scene());
    scene.start();
    scene.write('message', { sub_turns: [one] });
    scene.write('message', { sub_turns: 'none' });
    scene.write('message', GONE);
    scene.block('message', []);
    expect(scene.faults()).toEqual([]);
  });

  it('must be in the transcript once a step, or an end, has a result (T7)', () => {
    const owed = (name: string, result: unknown) => {
      const scene = new Scene().close();
      scene.run.activity(name, { outcomes: [outcome()] }, result);
      return [...scene.all.hashesInHistory];
    };
    const hash = hashOf({ call_id: '1.1', ...ANSWERED });
    expect([owed('takeStep', {}), owed('endTurn', {}), owed('compact', {}), owed('takeStep', GONE)]).toEqual([
      [hash],
      [hash],
      [],
      [],
    ]);
    expect(told(new Scene(), GONE)).toEqual([]);
  });
});
