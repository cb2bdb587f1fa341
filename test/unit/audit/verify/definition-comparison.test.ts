/** What steps repeat of the agent's definition, and blocks of the activities that write them (rules D1, D2, D4 and D6). */
import { DefinitionComparison } from '../../../../src/audit/verify/definition-comparison';
import type { JsonObject } from '../../../../src/shared/json/json';
import { at, GONE, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Setting } from '../../../support/audit/hand-comparison';

const POLICY = { limits: { steps: 5 }, max_parallel: 4, sibling_abort: false, approval_expiry_ms: 1000, steer_supersedes: true };

class Scene extends HandComparison<DefinitionComparison> {
  constructor(setting: Setting = {}) {
    const definitions = setting.definitions ?? new Map<string, JsonObject>();
    super((all, _, blocks) => new DefinitionComparison(all, blocks, definitions), { ...setting, definitions });
  }
}
const defined = (definition: object) => new Scene({ definitions: new Map([['d', definition as JsonObject]]) });

describe('the policy of a step (D1)', () => {
  const said = (policy: unknown, definition: unknown = POLICY, { result = {} as Fields, name = 'takeStep', ref = 'd' } = {}) => {
    const scene = defined({ policy: definition, tools: [] });
    scene.run.activity(name, {}, { head: 'a', policy, ...result });
    scene.faults();
    scene.start();
    scene.block('admission', [scene.part({ subject: {}, definition_ref: ref })], { ref: 'a' });
    return scene.faults();
  };
  const another = (field: string) => [`D1: A step says another ${field} of its turn than the agent's definition has`];

  it('is that of the definition', () => {
    expect(said(POLICY)).toEqual([]);
    for (const field of ['max_parallel', 'sibling_abort', 'approval_expiry_ms', 'steer_supersedes'])
      expect(said({ ...POLICY, [field]: 'x' })).toEqual(another(field));
    expect(said({ ...POLICY, limits: { steps: 6 } })).toEqual(another('limits'));
    expect(said({ ...POLICY, max_parallel: 5 }, POLICY, { name: 'admitDirect' })).toEqual(another('max_parallel'));
    expect(said({ ...POLICY, max_parallel: 5 }, POLICY, { name: 'compact' })).toEqual([]);
  });

  it('without steer_supersedes means that nothing is superseded', () => {
    const { steer_supersedes: _, ...silent } = POLICY;
    expect(said(silent, { ...POLICY, steer_supersedes: false })).toEqual([]);
    expect(said(silent)).toEqual(another('steer_supersedes'));
    expect(said({ ...silent, max_parallel: undefined })).toEqual(another('max_parallel'));
    expect(said({ ...POLICY, sibling_abort: undefined })).toEqual(another('sibling_abort'));
  });

  it('is compared if both have it', () => {
    expect(said({ ...POLICY, max_parallel: 9 }, { ...POLICY, max_parallel: undefined })).toEqual([]);
    expect(said({ ...POLICY, limits: undefined, max_parallel: 9 })).toEqual([]);
    expect(said({ ...POLICY, max_parallel: 9 }, POLICY, { ref: 'e' })).toEqual([]);
    expect(said({ ...POLICY, max_parallel: 9 }, POLICY, { result: { answer_head: 'b' } })).toEqual([]);
    expect(said({ ...POLICY, max_parallel: 9 }, POLICY, { result: { head: 'b', answer_head: 'a' } })).toEqual(
      another('max_parallel'),
    );
    const later = defined({ policy: POLICY });
    const id = later.run.scheduled('takeStep', {});
    later.begin('s').run.completed(id, { head: 'a', policy: { ...POLICY, max_parallel: 9 } });
    later.start();
    later.block('admission', [later.part({ subject: {}, definition_ref: 'd' })], { ref: 'a' });
    expect(later.faults()).toEqual([]);
  });
});

describe('the calls of a step (D2)', () => {
  const of = (call: Fields, ...tools: Fields[]) => {
    const scene = defined({ policy: {}, tools });
    scene.run.activity('takeStep', {}, { head: 'a', calls: [{ tool: 'pay', version: '1', ...call }], next: 'calls' });
    scene.start();
    scene.block('admission', [scene.part({ role: 'x', definition_ref: 'd' })], { ref: 'a' });
    return scene.faults();
  };
  const tool = (more: Fields): Fields => ({ name: 'pay', version: '1', idempotent: false, ...more });

  it('may be repeated only if the tool says so', () => {
    const other = ['D2: A call says otherwise than the definition of its tool whether it may be repeated'];
    expect([of({ idempotent: false }, tool({})), of({}, tool({})), of({ idempotent: true })]).toEqual([[], [], []]);
    expect(of({ idempotent: true }, tool({}))).toEqual(other);
    expect(of({ idempotent: true }, tool({ idempotent: null }))).toEqual([]);
    expect(of({ idempotent: true }, tool({}), tool({ idempotent: true }))).toEqual([]);
    expect(of({ idempotent: true }, tool({ name: 'send' }), tool({ version: '2' }))).toEqual([]);
  });

  it('are answered by the agent of their tool', () => {
    const other = ['D2: A call is said to be answered by another agent than the definition of its tool has, or by none'];
    expect([of({ sub_agent: 'h' }, tool({ sub_agent: 'h' })), of({}, tool({ sub_agent: null })), of({ sub_agent: 'h' })]).toEqual(
      [[], [], []],
    );
    expect([of({ sub_agent: 'i' }, tool({ sub_agent: 'h' })), of({}, tool({ sub_agent: 'h' }))]).toEqual([other, other]);
    expect(of({ sub_agent: 'i' }, tool({}))).toEqual([]);
    expect(of({ sub_agent: 'i' }, tool({ sub_agent: 'h' }), tool({}))).toEqual([]);
    expect(of({ sub_agent: 'i' }, tool({ sub_agent: 'h' }), tool({ sub_agent: 'i' }))).toEqual([]);
  });

  it('are checked one by one', () => {
    const scene = defined({ policy: {}, tools: [tool({})] });
    const calls = [{ tool: 'send', version: '1', idempotent: true }, { tool: 'pay', version: '1', idempotent: true }]; // oxfmt-ignore
    scene.run.activity('admitDirect', {}, { head: 'a', call: calls[1] });
    scene.run.activity('takeStep', {}, { head: 'b', calls, next: 'calls' });
    scene.start();
    for (const ref of ['a', 'b']) scene.block('admission', [scene.part({ subject: {}, definition_ref: 'd' })], { ref });
    expect(scene.faults()).toHaveLength(2);
    scene.block('admission', [scene.part({ definition_ref: 'd' })], { ref: 'a' });
    scene.block('message', [scene.part({ subject: {}, definition_ref: 'd' })], { ref: 'b' });
    const other = defined({ policy: {}, tools: [tool({})] });
    other.run.activity('admitDirect', {}, { head: 'a', call: calls[1] });
    other.block('admission', [other.part({ subject: {}, definition_ref: 'd' })], { ref: 'a' });
    expect([...scene.faults(), ...other.faults()]).toEqual([]);
  });

  it('are run next exactly if there are any', () => {
    const next = (said: Fields, name = 'takeStep') => {
      const scene = new Scene();
      scene.run.activity(name, {}, { head: 'a', ...said });
      return scene.faults();
    };
    const wrong = ['D2: A step says that its calls are to be run, and has none; or has some, and does not say so'];
    const calls = [{}];
    expect([next({ next: 'calls', calls }), next({ next: 'end', calls: [] }), next({ next: 'end' }), next({ calls })]).toEqual(
      Array(4).fill([]),
    );
    expect([next({ next: 'calls' }), next({ next: 'calls', calls: [] }), next({ next: 'end', calls })]).toEqual(
      Array(3).fill(wrong),
    );
    expect([next({ next: 'refusal', calls }), next({ next: 'calls' }, 'compact')]).toEqual([[], []]);
  });
});

it('what comes after a step follows from why its answer ended (D2)', () => {
  const ended = (stop_reason: unknown, next: string, calls: Fields[] = []) => {
    const scene = new Scene();
    scene.run.activity('takeStep', {}, { head: 'a', stop_reason, next, calls });
    return scene.faults();
  };
  const other = (stop: string, next: string) => [
    `D2: A step's answer ended with "${stop}", and it says "${next}" of what comes next`,
  ];
  const AFTER = {
    refusal: 'refusal',
    pause_turn: 'continue',
    max_tokens: 'cut',
    model_context_window_exceeded: 'full',
    prompt_too_long: 'full',
    end_turn: 'end',
  };
  for (const [stop, next] of Object.entries(AFTER)) {
    expect(ended(stop, next)).toEqual([]);
    const wrong = next === 'end' ? 'cut' : 'end';
    expect(ended(stop, wrong)).toEqual(other(stop, wrong));
    // Calls are run after every kind of answer except a refusal.
    if (stop !== 'refusal') expect(ended(stop, 'calls', [{}])).toEqual([]);
  }
  expect(ended('refusal', 'refusal', [{}])).toEqual([]);
  expect(ended('refusal', 'calls', [{}])).toEqual(other('refusal', 'calls'));
  expect(ended('tool_use', 'refusal', [{}])).toEqual(other('tool_use', 'refusal'));
  expect([ended(null, 'cut'), ended(undefined, 'full')]).toEqual([[], []]);
});

describe('uses of the vendor’s own tools (D2)', () => {
  const used = (told: unknown, contents: unknown[], role = 'assistant') => {
    const scene = new Scene();
    scene.start();
    scene.write('message', { role }, ...contents);
    scene.write('admission', { subject: {}, server_tools: told });
    return scene.faults();
  };
  const one = { type: 'server_tool_use', name: 'search', id: 'x' };
  const told = { name: 'search', id: 'x', more: 1 };
  const other = ["D2: The answer has other uses of the vendor's own tools than its admission"];

  it('are in the answer, in order', () => {
    const second = (of: object) => ({ ...of, id: 'y' });
    expect(used([told], [one])).toEqual([]);
    expect(used([told, second(told)], [one, { type: 'text', text: 'a' }, { type: 'other' }, second(one)])).toEqual([]);
    expect(used([second(told), told], [one, second(one)])).toEqual(other);
    expect([used([], [one]), used([told], []), used([{ ...told, name: 'x' }], [one])]).toEqual([other, other, other]);
    expect(used([{}], [{ type: 'server_tool_use' }])).toEqual([]);
    expect(used([told], [one], 'user')).toEqual(other);
    const scene = new Scene();
    scene.start();
    scene.write('effect', { role: 'assistant' }, one);
    scene.write('admission', { subject: {}, server_tools: [told] });
    expect(scene.faults()).toEqual(other);
  });

  it('are not checked if a part was left out, or if nothing is recorded', () => {
    expect(used(undefined, [one])).toEqual([]);
    const scene = new Scene();
    scene.start();
    scene.write('message', GONE, one);
    scene.write('admission', { subject: {}, server_tools: [told] });
    expect(scene.faults()).toEqual(other);
    for (const gone of [GONE, { type: 'text' }, { type: 'text', text: '[a block of type x\ny could not be kept]' }, 'x'])
      expect(used([], [one, gone])).toEqual([]);
    for (const text of ['x [a block of type x could not be kept]', '[a block of type x could not be kept] x'])
      expect(used([], [one, { type: 'text', text }])).toEqual(other);
    expect(used([], [one, { type: 'image', text: 7 }])).toEqual(other);
  });
});

describe('what held a call back (D4)', () => {
  const [one, two] = ['a', 'b'].map((id) => ({ kind: 'rule', id }));
  const shown = (
    told: unknown,
    held: unknown,
    { name = 'admitCall', expires_at = 'x' as unknown, preview_ref = 'p' as unknown, argument = undefined as unknown } = {},
  ) => {
    const scene = new Scene();
    scene.run.activity(name, argument ?? { held: told, expires_at }, { preview_ref });
    scene.part({ held }, 'p');
    return scene.faults();
  };
  const other = ['D4: People were shown something else of what held the call back than admission was told'];

  it('is shown to people, in any order', () => {
    expect([shown([one, two], [two, one]), shown([], []), shown(undefined, undefined)]).toEqual([[], [], []]);
    expect([shown([one], [two]), shown([one], []), shown([], [one]), shown([one], undefined)]).toEqual(Array(4).fill(other));
  });

  it('may differ in reasons that are found anew', () => {
    for (const kind of ['reset', 'same_intent', 'preview_drifted', 'target_changed']) {
      expect(shown([one, { kind }], [one])).toEqual([]);
      expect(shown([one], [one, { kind }])).toEqual([]);
    }
  });

  it('is compared only for calls that people were asked about', () => {
    expect(shown([one], [], { name: 'notify' })).toEqual([]);
    expect(shown([one], [], { expires_at: null })).toEqual([]);
    expect(shown([one], [], { preview_ref: null })).toEqual([]);
    expect(shown([], [one], { argument: GONE })).toEqual([]);
    const other = new Scene();
    other.run.activity('admitCall', { held: [one], expires_at: 'x' }, { preview_ref: 'p' });
    other.part({ held: [] }, 'q');
    other.part('text', 'p');
    other.part(GONE, 'p');
    expect(other.faults()).toEqual([]);
  });
});

describe('a compaction (D6)', () => {
  const made = (argument: unknown, result: unknown, tell: (scene: Scene) => void) => {
    const scene = new Scene();
    scene.run.activity('compact', argument, result);
    scene.start();
    tell(scene);
    return scene.faults().map((fault) => fault.slice(0, 60));
  };
  const summary =
    (body: Fields = {}, { own = true, kind = 'summary' as 'summary' | 'message' } = {}) =>
    (scene: Scene) =>
      void scene.block(kind, [scene.part({ v: 'holdfast.summary/1', ...body })], { ref: 's', ...(own ? {} : { parent: 'x' }) });
  const result = (did: string, head = 's') => ({ head, did });

  it('is the same in the activity and in its block', () => {
    const argument = { at: at(5), head: 'before' };
    expect(made(argument, result('summarized'), summary())).toEqual([]);
    expect(made(argument, result('cleared'), summary({ cleared_to: 'x' }))).toEqual([]);
    expect(made(argument, result('summarized'), summary({}, { own: false }))).toEqual([]);
    const did = 'D6: The transcript says that did of the block is ';
    expect(made(argument, result('cleared'), summary())).toEqual([`${did}"summarized`.slice(0, 60)]);
    expect(made(argument, result('summarized'), summary({ cleared_to: 'x' }))).toEqual([`${did}"cleared", `.slice(0, 60)]);
    expect(made(argument, result('cleared'), summary({}, { own: false }))).toHaveLength(1);
    expect(made({ ...argument, at: at(9) }, result('summarized'), summary())).toEqual([
      'D6: The transcript says that at of the block is "2026-11-25T',
    ]);
    expect(made(argument, result('summarized'), summary({}, { kind: 'message' }))).toEqual([`${did}"nothing", `.slice(0, 60)]);
    expect(made(argument, result('nothing'), summary({}, { kind: 'message' }))).toEqual([]);
    expect(made(argument, result('nothing'), summary())).toHaveLength(1);
    expect(
      made(argument, result('summarized'), (scene) => void scene.block('summary', [scene.part(GONE)], { ref: 's' })),
    ).toEqual([]);
  });

  it('did nothing if the head is the one before', () => {
    expect(made({ at: at(9), head: 's' }, result('nothing'), summary())).toEqual([]);
    expect(made(GONE, result('nothing'), summary())).toEqual([]);
    expect(made(GONE, result('cleared'), summary())).toHaveLength(1);
    expect(made({ at: at(5), head: 'x' }, GONE, summary())).toEqual([]);
    const other = new Scene();
    other.run.activity('takeStep', { at: at(5), head: 'x' }, result('cleared'));
    expect(other.all.facts.knows('block', 's', 'did')).toBe(false);
    other.run.tell('ACTIVITY_TASK_COMPLETED', { scheduledEventId: '77' });
    expect(other.faults()).toEqual([]);
  });

  it('records no fact of a block that no activity named', () => {
    for (const kind of ['summary', 'message'] as const) {
      const scene = new Scene();
      summary({}, { kind, own: false })(scene);
      expect(scene.all.facts.knows('block', 's', 'did')).toBe(false);
    }
  });

  it('and the admission of a direct call have the time of their request', () => {
    const scene = new Scene();
    scene.run.activity('admitDirect', { at: at(5) }, { head: 'a', call: {} });
    scene.all.addFacts('block', 'a', { at: at(6) }, 'the transcript');
    expect(scene.faults()).toHaveLength(1);
  });
});
