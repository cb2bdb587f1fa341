/** Turns of sub-agents: what the turn above was told of each, and what that one has itself (rules D1, D6, T7 and H9). */
import { SubAgents } from '../../../../src/audit/verify/sub-agents';
import { hashOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json';
import { carrying, GONE, payload, payloads, type Ending, type Fields } from '../../../support/audit/hand-events';
import { HandTwice, type Setting } from '../../../support/audit/hand-twice';

const BELOW = 'turn/t.1';
const CALL = { id: '1.1', digest: 'd' };
const OPEN = { sub_turn_id: 't.1', call: { ...CALL, makers: ['rita'] }, head: 'h', untrusted: false };
const OPENED = { open: true, agent: 'helper', message: 'Help.', within: ['plan'], depth_left: 2, limits: { steps: 5 } };
const REPORT = {
  ended: true,
  agent: 'helper',
  state: 'completed',
  head: 'e',
  reason: null,
  first_execution_run_id: 'b',
  spent: { usage: { cost: 1 } },
};
const ANSWERED = { turn_id: 't.1', workflow_id: BELOW, first_execution_run_id: 'b', head: 'e' };

class Scene extends HandTwice<SubAgents> {
  constructor(setting: Setting = {}) {
    const children = setting.children ?? new Map<string, string | null>();
    super((all, history, blocks, turn) => new SubAgents(all, history, blocks, turn, children), { ...setting, children });
  }

  open(more: Fields = {}, result: Fields = {}): this {
    this.run.activity('openSubTurn', { ...OPEN, ...more }, { ...OPENED, ...result });
    return this;
  }

  look(report: unknown = REPORT, workflow_id = BELOW): this {
    this.run.activity('lookAtSubTurn', { workflow_id }, report);
    return this;
  }

  close(report: Fields = REPORT, more: Fields = {}): this {
    this.run.activity('closeSubTurn', { call: CALL, sub_turn_id: 't.1', report, ...more }, {});
    return this;
  }

  /** Temporal is asked to start it. */
  initiate(argument: unknown, more: Fields = {}): string[] {
    this.run.tell('START_CHILD_WORKFLOW_EXECUTION_INITIATED', { workflowId: BELOW, input: carrying(argument), ...more });
    return this.faults();
  }

  began(runId = 'b', workflowId = BELOW, initiatedEventId = '9'): this {
    this.run.tell('CHILD_WORKFLOW_EXECUTION_STARTED', { workflowExecution: { workflowId, runId }, initiatedEventId });
    return this;
  }

  ended(): string[] {
    this.of.end();
    return this.faults();
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

describe('the start of a turn below (D1)', () => {
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

  it('is as it was opened', () => {
    expect(started()).toEqual([]);
    for (const field of ['agent', 'message']) expect(started({ [field]: 'other' })).toEqual(another(field));
    for (const field of ['within', 'depth_left', 'digest', 'head', 'untrusted'])
      expect(started({}, { [field]: 'other' })).toEqual(another(field));
    expect(started({}, { call_id: '1.2' })).toEqual(another('call_id'));
  });

  it('names all who have made the call', () => {
    expect(started({}, { makers: ['ana'] })).toEqual(another('makers'));
    expect(started({}, { makers: undefined })).toEqual([]);
  });

  it('is within the limits for which it was opened', () => {
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

  it('says once whose it is', () => {
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

  it('is of the requester, and the trace, of the turn above', () => {
    const scene = new Scene().open();
    scene.all.tell('turn', '', { requester: 'rob', trace_id: 'x' }, 'the history');
    expect(scene.initiate(argument())[0]).toMatch(/^D1: The start of a sub-agent says that requester of the turn is "rita"/);
    const trace = new Scene().open();
    trace.all.tell('turn', '', { requester: 'rita', trace_id: 'y' }, 'the history');
    expect(trace.initiate(argument())[0]).toMatch(/says that trace_id of the turn is "x"/);
  });

  it('was opened, in its run', () => {
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

  it('is not known where it was left out, and of another workflow it is none', () => {
    expect(new Scene().initiate(GONE)).toEqual([]);
    expect(new Scene().initiate({ turn_id: 't.1' })).toEqual([]);
    expect(new Scene().initiate(argument({ parent: 'none' }))).toEqual([]);
  });
});

describe('how a turn below stood (D6)', () => {
  const other = ['D6: A call was answered by another report of its turn than the last that the turn above was given'];
  it('is what its call was answered by', () => {
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

  it('is not known where it was left out', () => {
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

  it('may be told when it is opened', () => {
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

  it('is known to the run that goes on, and to no other', () => {
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

  it('is of a run that Temporal has started', () => {
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

describe('which turn has answered a call', () => {
  const outcome = (more: Fields = {}, sub: unknown = ANSWERED) => ({ call_id: '1.1', sub_turn: sub, ...more });
  const told = (scene: Scene, one: unknown, result: unknown = {}) => {
    scene.run.activity('takeStep', { outcomes: [one] }, result);
    return scene.faults();
  };
  const asked = ['D6: An outcome says that another turn has answered the call than was asked for its answer'];

  it('is told by the outcome of the call as it was answered (D6)', () => {
    expect(told(new Scene().close(), outcome())).toEqual([]);
    expect(told(new Scene(), outcome())).toEqual(asked);
    expect(told(new Scene().close(), outcome({ call_id: '1.2' }))).toEqual(asked);
    for (const field of Object.keys(ANSWERED))
      expect(told(new Scene().close(), outcome({}, { ...ANSWERED, [field]: 'x' }))).toEqual(asked);
    expect(told(new Scene(), outcome({}, 'none'))).toEqual([]);
    expect(told(left(new Scene()), outcome())).toEqual([]);
    expect(told(new Scene(), outcome({ call_id: undefined }))).toEqual(asked);
  });

  it('is told by the transcript as by the outcome (D6)', () => {
    const one = { call_id: '1.1', ...ANSWERED };
    const written = (sub: unknown, { own = true, kind = 'message' as 'message' | 'decision' } = {}) => {
      const scene = new Scene().close();
      told(scene, outcome());
      if (own) scene.start();
      scene.write(kind, { role: 'user', sub_turns: [sub] });
      return { faults: scene.faults(), written: [...scene.all.written] };
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

  it('is owed to the transcript by a step, or an end, that has a result (T7)', () => {
    const owed = (name: string, result: unknown) => {
      const scene = new Scene().close();
      scene.run.activity(name, { outcomes: [outcome()] }, result);
      return [...scene.all.owed];
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

describe('what the turn’s result says of turns below (D6)', () => {
  const view = {
    workflow_id: BELOW,
    call_id: '1.1',
    turn_id: 't.1',
    agent: 'helper',
    state: 'completed',
    head: 'e',
    usage: { cost: 1 },
    waiting: [],
  };
  const shown = (more: Fields = {}, scene = new Scene().open().look(), as: Ending = 'COMPLETED') => {
    scene.run.ends(as, { calls: [], sub_turns: [{ ...view, ...more }] });
    return scene.faults();
  };
  const another = (field: string) => [`D6: The turn's result says another ${field} of turn "t.1" below than the history does`];

  it('is what it was told of them', () => {
    expect(shown()).toEqual([]);
    for (const field of ['workflow_id', 'agent', 'call_id', 'state', 'head', 'usage', 'waiting'])
      expect(shown({ [field]: 'other' })).toEqual(another(field));
    for (const as of ['CANCELED', 'FAILED'] as const) expect(shown({ state: 'other' }, undefined, as)).toEqual(another('state'));
    expect(shown({ state: 'other' }, left(new Scene().look()))).toEqual([]);
  });

  it('is of those that have ended', () => {
    const runs = { ...REPORT, ended: false };
    expect(shown({ state: 'other', waiting: ['x'] }, new Scene().open().look(runs))).toEqual([]);
    expect(shown({ agent: 'other' }, new Scene().open().look(runs))).toEqual(another('agent'));
    expect(shown({ agent: 'other' }, new Scene().look())).toEqual([]);
    expect(shown({ workflow_id: 'turn/other' }, new Scene())).toEqual(another('workflow_id'));
  });

  it('is none where there is no view', () => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: payloads({ sub_turns: [{ ...view, workflow_id: 'x' }] }) });
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: carrying(GONE) });
    expect(scene.faults()).toEqual([]);
  });
});

describe('how the turn has ended, beside what the turn above was told (D6)', () => {
  const own = { agent: 'helper', state: 'completed', head: 'e', reason: null, usage: { cost: 1 }, calls: [] };
  /** A turn above has been told of it. */
  const above = (report: Fields = REPORT, of = 'turn/t') => {
    const children = new Map<string, string | null>();
    const scene = new Scene({ turn: { workflow_id: 'turn/above' }, children });
    scene.look({ ...report, first_execution_run_id: 'r' }, of);
    return children;
  };
  const ended = (more: Fields, children = above(), begin?: 'reset') => {
    const scene = new Scene({ children });
    if (begin) scene.begin('s', {}, begin);
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: payloads({ ...own, ...more }) });
    written(scene);
    return scene.ended();
  };
  const written = (scene: Scene, ref = 'e') => {
    scene.start();
    scene.block('end', [], { ref });
  };
  const otherwise = 'D6: The turn has ended otherwise than the turn above it was told';
  const used = 'D6: The turn has used something else than the turn above it was told';

  it('is the same', () => {
    expect(ended({})).toEqual([]);
    for (const field of ['agent', 'state', 'head', 'reason']) expect(ended({ [field]: 'x' })).toEqual([otherwise]);
    expect(ended({ reason: undefined })).toEqual([]);
    expect(ended({ usage: { cost: 2 } })).toEqual([used]);
    expect(ended({ usage: { cost: 2 }, sub_turns: [] })).toEqual([]);
    expect(ended({ state: 'x', usage: {} }, above(), 'reset')).toEqual([]);
    expect(ended({ state: 'x' }, above(REPORT, 'turn/u'))).toEqual([]);
    expect(ended({ state: 'x' }, above({ ...REPORT, ended: false }))).toEqual([]);
    expect(ended({ calls: 'none', state: 'x' })).toEqual([]);
    const runs = new Scene({ children: above() });
    written(runs);
    expect(runs.ended()).toEqual([]);
    runs.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: payloads({ ...own, state: 'x' }) });
    expect(runs.begin('s').ended()).toEqual([]);
  });

  it('stood at one of its blocks, whenever it was looked at', () => {
    const stood = (report: Fields, tell: (scene: Scene) => void = written, of = 'turn/t') => {
      const scene = new Scene({ children: above({ ...REPORT, ended: false, ...report }, of) });
      tell(scene);
      return scene.ended();
    };
    const none = ['D6: The turn above was told of a block of this turn that is none'];
    expect([stood({ head: 'e' }), stood({ head: null }), stood({ head: 'x' })]).toEqual([[], [], none]);
    expect([stood({ head: 'x' }, written, 'turn/u'), stood({ head: 'x' }, (scene) => void scene.write('start', GONE))]).toEqual([
      [],
      [],
    ]);
    expect(stood({ head: 'x' }, (scene) => written(scene, 'x'))).toEqual([]);
  });
});

describe('who has started the turn (D1)', () => {
  const parent = { turn_id: 'above', call_id: '1.1', workflow_id: 'turn/above', limits: {}, makers: [] };
  const started = (
    attributes: Fields,
    {
      children = new Map(),
      turn = { parent: { turn_id: 'above', call_id: '1.1' } },
      argument = { turn_id: 't', parent } as unknown,
    }: Setting = {},
  ) => {
    const scene = new Scene({ children, turn, argument, started: attributes });
    return scene.faults();
  };
  const by = (workflowId: string, runId = 'ar', parentInitiatedEventId = '9') => ({
    parentWorkflowExecution: { workflowId, runId },
    parentInitiatedEventId,
  });
  const workflow = 'D1: Temporal says that another workflow has started the turn than its argument says';
  const event = 'D1: Temporal says that another run, or event of it, has started the turn than the turn above it has';

  it('is the workflow of its argument', () => {
    expect(started(by('turn/above'))).toEqual([]);
    expect(started(by('turn/other'))).toEqual([workflow]);
    expect(started(by('turn/other'), { argument: GONE })).toEqual([]);
    expect(started(by('turn/other'), { turn: { parent: null } })).toEqual([]);
    expect(started({ parentWorkflowExecution: null })).toEqual([]);
  });

  it('is the event of the turn above', () => {
    const children = new Map<string, string | null>();
    new Scene({ turn: { workflow_id: 'turn/above', first_execution_run_id: 'ar' }, run_id: 'ar', children }).began(
      'r',
      'turn/t',
      '9',
    );
    expect(started(by('turn/above'), { children })).toEqual([]);
    expect(started(by('turn/above', 'other'), { children })).toEqual([event]);
    expect(started(by('turn/above', 'ar', '8'), { children })).toEqual([event]);
    expect(started(by('turn/above', 'other'))).toEqual([]);
  });

  it('and what is told of it is a fact of the turn', () => {
    const scene = new Scene({ argument: { turn_id: 't', parent } });
    const { limits: _, makers: __, ...told } = parent;
    scene.all.tell('turn', '', { parent: told }, 'the transcript');
    expect(scene.faults()).toEqual([]);
    scene.all.tell('turn', '', { parent }, 'the transcript');
    expect(scene.faults()[0]).toContain("the turn's argument says otherwise");
    const none = new Scene({ argument: { turn_id: 't', parent: 'none' } });
    expect(none.all.facts.knows('turn', '', 'parent')).toBe(false);
  });
});

describe('a decision that is passed on (H9)', () => {
  const body = { decision: 'approve', calls: ['d'], by: 'ana' };
  const FORWARD = { workflow_id: 'turn/t', body, identity: 'api' };
  /** The turn above, which has passed it on by the activity `7`. */
  const above = (more: Fields = {}, result: unknown = { accepted: true }, opened = 't') => {
    const children = new Map<string, string | null>();
    const scene = new Scene({ turn: { workflow_id: 'turn/above', first_execution_run_id: 'ar' }, run_id: 'ar', children });
    if (opened) scene.open({ sub_turn_id: opened });
    const id = scene.run.scheduled('forwardDecision', { ...FORWARD, ...more }, { id: '7' });
    scene.run.completed(id, result);
    return { children, faults: scene.faults(), scene };
  };

  it('goes to a turn below', () => {
    const none = ['H9: A decision was passed on to a workflow that is no turn below this one'];
    expect(above().faults).toEqual([]);
    expect(above({}, {}, 'u').faults).toEqual(none);
    const unknown = left(new Scene());
    unknown.run.scheduled('forwardDecision', FORWARD);
    expect(unknown.faults()).toEqual([]);
    // That it was opened is known in all runs.
    const { scene } = above();
    scene.begin('as').run.scheduled('forwardDecision', FORWARD);
    expect(scene.faults()).toEqual([]);
  });

  const came = (
    more: { body?: unknown; identity?: string; updateId?: string; name?: string } = {},
    answer: unknown = { accepted: true },
    children = above().children,
  ) => {
    const { body: said = body, identity = 'api', updateId = 'ar:7', name = 'decide' } = more;
    const scene = new Scene({ children });
    scene.run.update(name, said, answer, { identity, updateId });
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED');
    return [...scene.faults(), ...scene.ended()];
  };

  it('comes as it was passed on', () => {
    const another = 'H9: A decision that came through the turn above is another than that one has passed on';
    expect(came()).toEqual([]);
    expect(came({ body: { ...body, by: 'rob' } })).toEqual([another]);
    expect(came({ identity: 'other' })).toEqual([another]);
    expect(came({ body: GONE, identity: 'other' })).toEqual([]);
    expect(came({ updateId: 'ar:8', body: 'other' }, undefined, new Map())).toEqual([]);
  });

  it('comes where the turn above was told that it was taken', () => {
    const lost = 'H9: The turn above was told that a decision was taken here, and no update here has it';
    expect(came({ updateId: 'other' })).toEqual([lost]);
    expect(came({ name: 'send' })).toEqual([lost]);
    expect(came({}, { accepted: false })).toEqual([lost]);
    expect(came({}, {})).toEqual([]);
    expect(came({}, GONE)).toEqual([]);
    expect(came({}, undefined)).toEqual([]);
    for (const result of [{ accepted: false }, GONE])
      expect(came({ updateId: 'other' }, undefined, above({}, result).children)).toEqual([]);
    expect(came({ updateId: 'other' }, undefined, above({ workflow_id: 'turn/u' }, { accepted: true }, 'u').children)).toEqual(
      [],
    );
  });

  it('may be sent to two runs, of which one has taken it', () => {
    const sent = (first: boolean, second: boolean) => {
      const scene = new Scene({ children: above().children });
      for (const accepted of [first, second]) scene.run.update('decide', body, { accepted }, { updateId: 'ar:7' });
      scene.run.tell('WORKFLOW_EXECUTION_COMPLETED');
      return scene.ended().length;
    };
    expect([sent(true, false), sent(false, true), sent(false, false)]).toEqual([0, 0, 1]);
  });

  it('is not asked for in a turn that runs still, or has lost its beginning', () => {
    const { children } = above();
    expect(new Scene({ children }).ended()).toEqual([]);
    const later = new Scene({ children, run_id: 'later' });
    later.run.tell('WORKFLOW_EXECUTION_COMPLETED');
    expect(later.ended()).toEqual([]);
    const other = new Scene({ children });
    other.run.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', {
      acceptedEventId: '1',
      outcome: { success: payloads({ accepted: true }) },
    });
    other.run.tell('WORKFLOW_EXECUTION_COMPLETED');
    expect(other.ended()).toHaveLength(1);
  });
});
