/** Turns of sub-agents: the result of the turn above, the sub-agent's own turn, and decisions that are passed on (rules D1, D6 and H9). */
import { carrying, GONE, payloads, type Ending, type Fields } from '../../../support/audit/hand-events';
import type { Setting } from '../../../support/audit/hand-comparison';
import { BELOW, REPORT, Scene, left } from '../../../support/audit/sub-agents-scene';

describe('what the turn’s result records of sub-agents’ turns (D6)', () => {
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

  it('is what the turn was told of them', () => {
    expect(shown()).toEqual([]);
    for (const field of ['workflow_id', 'agent', 'call_id', 'state', 'head', 'usage', 'waiting'])
      expect(shown({ [field]: 'other' })).toEqual(another(field));
    for (const as of ['CANCELED', 'FAILED'] as const) expect(shown({ state: 'other' }, undefined, as)).toEqual(another('state'));
    expect(shown({ state: 'other' }, left(new Scene().look()))).toEqual([]);
  });

  it('is compared for turns that have ended', () => {
    const runs = { ...REPORT, ended: false };
    expect(shown({ state: 'other', waiting: ['x'] }, new Scene().open().look(runs))).toEqual([]);
    expect(shown({ agent: 'other' }, new Scene().open().look(runs))).toEqual(another('agent'));
    expect(shown({ agent: 'other' }, new Scene().look())).toEqual([]);
    expect(shown({ workflow_id: 'turn/other' }, new Scene())).toEqual(another('workflow_id'));
  });

  it('is not compared if there is no view', () => {
    const scene = new Scene();
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: payloads({ sub_turns: [{ ...view, workflow_id: 'x' }] }) });
    scene.run.tell('WORKFLOW_EXECUTION_COMPLETED', { result: carrying(GONE) });
    expect(scene.faults()).toEqual([]);
  });
});

describe('the end of a sub-agent’s turn (D6)', () => {
  const own = { agent: 'helper', state: 'completed', head: 'e', reason: null, usage: { cost: 1 }, calls: [] };
  /** The turn above was told of this turn. */
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

  it('is the one that the turn above was told', () => {
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

  it('and every earlier report name a block of the turn', () => {
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

describe('the workflow that started a sub-agent’s turn (D1)', () => {
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

  it('is the one in the argument of the turn', () => {
    expect(started(by('turn/above'))).toEqual([]);
    expect(started(by('turn/other'))).toEqual([workflow]);
    expect(started(by('turn/other'), { argument: GONE })).toEqual([]);
    expect(started(by('turn/other'), { turn: { parent: null } })).toEqual([]);
    expect(started({ parentWorkflowExecution: null })).toEqual([]);
  });

  it('is named, with the event, in the turn above', () => {
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

  it('is compared with the transcript, as a fact of the turn', () => {
    const scene = new Scene({ argument: { turn_id: 't', parent } });
    const { limits: _, makers: __, ...told } = parent;
    scene.all.addFacts('turn', '', { parent: told }, 'the transcript');
    expect(scene.faults()).toEqual([]);
    scene.all.addFacts('turn', '', { parent }, 'the transcript');
    expect(scene.faults()[0]).toContain("the turn's argument says otherwise");
    const none = new Scene({ argument: { turn_id: 't', parent: 'none' } });
    expect(none.all.facts.knows('turn', '', 'parent')).toBe(false);
  });
});

describe('a decision that is passed on (H9)', () => {
  const body = { decision: 'approve', calls: ['d'], by: 'ana' };
  const FORWARD = { workflow_id: 'turn/t', body, identity: 'api' };
  /** The turn above, which passed the decision on by the activity `7`. */
  const above = (more: Fields = {}, result: unknown = { accepted: true }, opened = 't') => {
    const children = new Map<string, string | null>();
    const scene = new Scene({ turn: { workflow_id: 'turn/above', first_execution_run_id: 'ar' }, run_id: 'ar', children });
    if (opened) scene.open({ sub_turn_id: opened });
    const id = scene.run.scheduled('forwardDecision', { ...FORWARD, ...more }, { id: '7' });
    scene.run.completed(id, result);
    return { children, faults: scene.faults(), scene };
  };

  it('goes to a sub-agent’s turn', () => {
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

  it('arrives as it was passed on', () => {
    const another = 'H9: A decision that came through the turn above is another than that one has passed on';
    expect(came()).toEqual([]);
    expect(came({ body: { ...body, by: 'rob' } })).toEqual([another]);
    expect(came({ identity: 'other' })).toEqual([another]);
    expect(came({ body: GONE, identity: 'other' })).toEqual([]);
    expect(came({ updateId: 'ar:8', body: 'other' }, undefined, new Map())).toEqual([]);
  });

  it('has arrived if the turn above was told that it was taken', () => {
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

  it('may be sent to two runs, one of which took it', () => {
    const sent = (first: boolean, second: boolean) => {
      const scene = new Scene({ children: above().children });
      for (const accepted of [first, second]) scene.run.update('decide', body, { accepted }, { updateId: 'ar:7' });
      scene.run.tell('WORKFLOW_EXECUTION_COMPLETED');
      return scene.ended().length;
    };
    expect([sent(true, false), sent(false, true), sent(false, false)]).toEqual([0, 0, 1]);
  });

  it('is not required of a turn that still runs, or has lost its beginning', () => {
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
