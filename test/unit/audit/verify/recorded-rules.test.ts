/** Rules asked again, about the tool in the definition that the call names. Tools registered elsewhere do not matter. */
import { RecordedRules } from '../../../../src/audit/verify/recorded-rules';
import type { ScheduledCall } from '../../../../src/audit/verify/history';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { optional } from '../../../../src/shared/json/optional';
import type { Fields } from '../../../support/audit/hand-events';

const NAMED = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const RULES = 'c'.repeat(64);
const WITHIN = 'd'.repeat(64);
const DIGEST = 'e'.repeat(64);
const input = { cents: 700 };

const tool = (more: Fields = {}): JsonObject =>
  ({
    ...{ name: 'pay', version: '1.0.0', class: 'write', input_schema: { type: 'object' }, group: null, egress: false },
    ...{ rule_target: null, ...more },
  }) as JsonObject;
const definition = (tools: JsonObject[] = [tool()], more: Fields = {}): JsonObject =>
  ({ v: 'holdfast.agent/1', name: 'clerk', classifier: null, mcp_servers: [], tools, ...more }) as JsonObject;
const policy = (permissions: Fields = {}, more: Fields = {}): JsonObject =>
  ({
    ...{ v: 'holdfast.policy/1', mode: 'default', permissions: { allow: [], ask: [], deny: [], ...permissions }, ...more },
  }) as JsonObject;

/** The record of a call: correct, except for the given fields. */
interface Recorded {
  /** The entry that the part names, and the rules under which the input was admitted. */
  entry?: Json;
  admittedUnder?: string;
  objects?: Record<string, Json>;
  call?: Fields;
  run?: Partial<ScheduledCall>;
  facts?: Fields | null;
  input?: Json;
}

function rulesOf(objects: Record<string, Json>): RecordedRules {
  const rules = new RecordedRules();
  for (const [ref, value] of Object.entries(objects)) rules.take({ ref, value });
  return rules;
}

const TURN = { untrusted: false, requester: 'rita', agent: 'clerk', step: 1 };

function asked({ objects = {}, call = {}, run = {}, facts = {}, ...more }: Recorded, rules?: RecordedRules): string | null {
  const known = rules ?? rulesOf({ [RULES]: policy(), [NAMED]: definition(), ...objects });
  const of = { id: '1.1', tool: 'pay', version: '1.0.0', class: 'write', input_hash: hashJson(input), policy_ref: RULES };
  const ran = { agent: 'clerk', requester: 'rita', untrusted: false, verdict: 'allow', approvals: [], at: 0, ...run };
  const looked = facts && { targets: null, egress: false, group: null, target: null, turn: TURN, ...facts };
  const { entry, admittedUnder } = more;
  const body = {
    input: more.input ?? input,
    ...(looked === null ? {} : { facts: looked }),
    ...optional({ approval_entry: entry }),
  };
  const scheduled = { ...ran, call: { ...of, definition_ref: NAMED, digest: DIGEST, ...call } };
  return known.fault(scheduled as unknown as ScheduledCall, body as JsonObject, admittedUnder);
}

const denied = (permissions: Fields, more: Fields = {}) => ({ [RULES]: policy(permissions, more) });
const NOT_ITS_TOOL = "What the rules looked at is not the tool of the agent's definition";
const NOT_DEFINED = "The call ran with a tool, or a version of it, that the agent's definition does not have";

describe('the definition', () => {
  const both = { [NAMED]: definition([tool({ egress: true })]), [OTHER]: definition() };

  test('that the call names is used, not another one that has its tool too', () => {
    expect(asked({ objects: both, facts: { egress: true } })).toBeNull();
    expect(asked({ objects: both, facts: { egress: false } })).toBe(NOT_ITS_TOOL);
  });

  test('of an older call, which names none, may be any definition: one that fits is enough', () => {
    const older = { definition_ref: undefined };
    expect(asked({ objects: both, call: older, facts: { egress: false } })).toBeNull();
    expect(asked({ objects: both, call: older, facts: { egress: true } })).toBeNull();
    expect(asked({ objects: both, call: { ...older, version: '2.0.0' } })).toBeNull();
    const neither = { [NAMED]: definition([tool({ egress: true })]), [OTHER]: definition([tool({ group: 'g' })]) };
    expect(asked({ objects: neither, call: older })).toBe(NOT_ITS_TOOL);
  });

  test('that the call names must have its tool in its version, even if another definition has it', () => {
    const objects = { [NAMED]: definition([tool({ version: '2.0.0' })]), [OTHER]: definition() };
    expect(asked({ objects })).toBe(NOT_DEFINED);
    expect(asked({ call: { tool: 'send' } })).toBe(NOT_DEFINED);
    expect(asked({ run: { agent: 'other' } })).toBe(NOT_DEFINED);
    // A definition that is not in the bundle proves nothing.
    expect(asked({ objects, call: { definition_ref: 'e'.repeat(64) } })).toBeNull();
  });

  test('does not count as rules', () => {
    const rules = rulesOf({ [NAMED]: { ...definition(), policy_ref: RULES, channel: 'attested' } });
    expect(rules.requiresSignatures(NAMED)).toBe(false);
  });
});

describe('the recorded facts for the rules', () => {
  test('have the input that ran', () => {
    expect(asked({ input: { cents: 701 } })).toBe('The rules were asked about another input than the one that ran');
  });

  test.each<[string, Fields, Fields]>([
    ['egress', { egress: true }, {}],
    ['group', { group: 'g' }, {}],
    ['target', { target: 'path' }, {}],
    ['class', {}, { class: 'read' }],
  ])('have the tool of the definition: its %s', (_what, facts, call) => {
    expect(asked({ facts, call })).toBe(NOT_ITS_TOOL);
    expect(asked({ objects: { [NAMED]: definition([tool({ ...renamed(facts), ...call })]) }, facts, call })).toBeNull();
  });
  const renamed = ({ target, ...rest }: Fields): Fields => (target === undefined ? rest : { ...rest, rule_target: target });

  test('are recorded', () => {
    expect(asked({ facts: null })).toBe('The call ran, and what the rules looked at is not written down');
    const notAll = 'The call ran, and not all that the rules looked at is there';
    expect(asked({ facts: { turn: undefined } })).toBe(notAll);
    expect(asked({ facts: { turn: { ...TURN, step: 'one' } } })).toBe(notAll);
    // Targets that cannot be written down are left out, with the facts that follow from them.
    expect(asked({ facts: { targets: undefined } })).toBeNull();
  });

  test('are not checked for an unknown class, or for an input that is not an object', () => {
    expect(asked({ call: { class: 'other' }, facts: { egress: true } })).toBeNull();
    const list = ['a'];
    expect(asked({ call: { input_hash: hashJson(list) }, input: list, facts: { egress: true } })).toBeNull();
  });
});

describe('a call that ran', () => {
  test('was allowed by the rules', () => {
    expect(asked({})).toBeNull();
    expect(asked({ objects: denied({ deny: ['pay'] }) })).toBe(
      'The call ran, and the rules forbid it: "the agent\'s rule deny pay"',
    );
    expect(asked({ objects: denied({ deny: ['send'] }) })).toBeNull();
  });

  test('was asked about if the rules ask', () => {
    const objects = denied({ ask: ['pay'] });
    const why = 'The call ran without being asked about, and the rules ask: "the agent\'s rule ask pay"';
    expect(asked({ objects })).toBe(why);
    expect(asked({ objects, run: { verdict: 'ask' } })).toBeNull();
  });

  test('was asked about if nothing classifies it', () => {
    const auto = denied({}, { mode: 'auto' });
    const why = 'The call ran without being asked about, and the rules ask: "mode auto: class write is not harmless"';
    expect(asked({ objects: auto })).toBe(why);
    expect(asked({ objects: auto, run: { verdict: 'ask' } })).toBeNull();
    expect(asked({ objects: { ...auto, [NAMED]: definition([tool()], { classifier: {} }) } })).toBeNull();
  });

  test('is judged by the turn as it was when the call ran, not by what its part says', () => {
    const deny = (when: string) => denied({ deny: [{ rule: 'pay', when }] });
    const [untrusted, requester, agent] = ['turn.untrusted', "turn.requester == 'rob'", "turn.agent == 'bookkeeper'"];
    const forbids = expect.stringContaining('the rules forbid it') as string;
    expect(asked({ objects: deny(untrusted), facts: { turn: { ...TURN, untrusted: true } } })).toBeNull();
    expect(asked({ objects: deny(untrusted), run: { untrusted: true } })).toEqual(forbids);
    expect(asked({ objects: deny(requester), run: { requester: 'rob' } })).toEqual(forbids);
    expect(asked({ objects: deny(requester) })).toBeNull();
    const bookkeeper = definition([tool()], { name: 'bookkeeper' });
    expect(asked({ objects: { ...deny(agent), [NAMED]: bookkeeper }, run: { agent: 'bookkeeper' } })).toEqual(forbids);
    expect(asked({ objects: deny('turn.step == 12'), call: { id: '12.3' } })).toEqual(forbids);
    expect(asked({ objects: deny('turn.step == 12'), call: { id: '1.12' } })).toBeNull();
    expect(asked({ objects: deny('input.cents > 600') })).toEqual(forbids);
    expect(asked({ objects: deny('input.cents > 700') })).toBeNull();
    expect(asked({ objects: deny("tool.name == 'pay' && tool.version == '1.0.0'") })).toEqual(forbids);
  });
});

describe('rules that cannot be asked again', () => {
  test.each<[string, Recorded]>([
    ['are not in the bundle', { call: { policy_ref: OTHER } }],
    ['are not named', { call: { policy_ref: undefined } }],
    ['are named by no text', { call: { policy_ref: 7 } }],
    ['have another form', { objects: { [RULES]: { ...policy({ deny: ['pay'] }), v: 'holdfast.policy/9' } } }],
    ['have a condition that cannot be read', { objects: denied({ deny: [{ rule: 'pay', when: 'input.(' }] }) }],
  ])('%s', (_what, recorded) => expect(asked(recorded)).toBeNull());

  test('are compiled once', () => {
    const rules = rulesOf({ [RULES]: policy({ deny: ['pay'] }), [NAMED]: definition() });
    const forbids = expect.stringContaining('the rules forbid it') as string;
    expect([asked({}, rules), asked({}, rules)]).toEqual([forbids, forbids]);
  });
});

describe('rules within the modes of turns above', () => {
  const within = (more: Fields = {}) =>
    ({ v: 'holdfast.policy_within/1', policy_ref: RULES, within: ['plan'], ...more }) as JsonObject;
  const objects = (more: Fields = {}) => ({ [WITHIN]: within(more), [RULES]: policy({}, { channel: 'attested' }) });

  test('apply together with those modes', () => {
    const call = { policy_ref: WITHIN };
    expect(asked({ objects: objects(), call })).toMatch(/^The call ran, and the rules forbid it: "mode plan/);
    expect(asked({ objects: objects({ within: [] }), call })).toBeNull();
    const deny = { [WITHIN]: within({ within: [] }), [RULES]: policy({ deny: ['pay'] }) };
    expect(asked({ objects: deny, call })).toMatch(/the rules forbid it/);
  });

  test('must be in the bundle', () => {
    const rules = rulesOf(objects());
    expect(rules.within(WITHIN)).toBe(RULES);
    expect(rules.within(RULES)).toBeNull();
    expect(rules.within(OTHER)).toBeNull();
  });

  test('take signed decisions only if they, or the rules that they name, say so', () => {
    const rules = rulesOf({ ...objects(), [OTHER]: policy(), [NAMED]: ['attested'] });
    expect([WITHIN, RULES, OTHER, NAMED, 'e'.repeat(64)].map((ref) => rules.requiresSignatures(ref))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    const other = rulesOf({ [WITHIN]: within({ channel: 'attested' }), [RULES]: policy({}, { channel: 'signal' }) });
    expect([other.requiresSignatures(WITHIN), other.requiresSignatures(RULES)]).toEqual([true, false]);
  });
});

describe('a list of approval rules', () => {
  const list = (...pay: Fields[]) => ({ approvals: { tools: { pay } } }) as Fields;
  const LIST = list({ when: 'input.cents > 1000', quorum: 2 }, { allow: true });
  const destructive = { [NAMED]: definition([tool({ class: 'destructive' })]) };
  const of = (rules: Fields, entry: Json | undefined, more: Partial<Recorded> = {}) =>
    asked({
      ...{ call: { class: 'destructive' }, admittedUnder: RULES, ...optional({ entry }), ...more },
      objects: { [RULES]: policy({}, rules), ...destructive, ...more.objects },
    });
  const second = { index: 2, when: null, result: 'matched' };
  const ANOTHER = 'Another entry of the approval rules applies to the call than the one that is written down';

  test('lets a call run unasked by an entry that allows, and by no other', () => {
    expect(of(LIST, second)).toBeNull();
    const asks = list({ when: 'input.cents > 100', quorum: 2 }, { allow: true });
    const first = { index: 1, when: 'input.cents > 100', result: 'matched' };
    expect(of(asks, first)).toContain('ran without being asked about');
    expect(of(asks, first, { run: { verdict: 'ask' } })).toBeNull();
    expect(of(list({ when: 'input.cents > 1000' }), { index: null, when: null, result: 'none' })).toContain('asked about');
  });

  test.each<[string, Json | undefined]>([
    ['none', undefined],
    ['another', { index: 1, when: 'input.cents > 1000', result: 'matched' }],
    ['no fitting one', { index: null, when: null, result: 'none' }],
    ['the right one with a condition', { ...second, when: 'true' }],
  ])('applies with one entry; the part names %s', (_, entry) => {
    expect(of(LIST, entry)).toBe(ANOTHER);
  });

  test('may have failed then, by a limit of time; without a list there is no entry', () => {
    const failed = { index: 1, when: 'input.cents > 1000', result: 'failed' };
    expect(of(LIST, failed, { run: { verdict: 'ask' } })).toBeNull();
    expect(of({}, second, { run: { verdict: 'ask' } })).toBe(ANOTHER);
  });

  test('refuses a call for which a condition fails, if the definition says so: older builds asked', () => {
    const roles = list({ when: 'input.none > 1000', roles: ['treasurer'] }, { roles: ['clerk'] });
    const failed = { index: 1, when: 'input.none > 1000', result: 'failed' };
    const lists = { approval_lists: { pay: { entries: [], failed_refuses: true } } };
    const refuses = { [NAMED]: { ...definition([tool({ class: 'destructive' })]), ...lists } };
    const run = { run: { verdict: 'ask' } };
    expect(of(roles, failed, run)).toBeNull();
    expect(of(roles, failed, { ...run, objects: refuses })).toContain('the rules forbid it: "the condition of entry 1');
    expect(of(LIST, second, { objects: refuses })).toBeNull(); // no condition fails
    const allowed = { [RULES]: policy({ allow: ['pay'] }, roles), ...refuses };
    expect(of(roles, failed, { objects: allowed })).toBeNull();
  });

  test('is that under which the input was admitted, also if people were asked again under another', () => {
    const more = { objects: { [OTHER]: policy({}, list({ allow: true })) }, admittedUnder: OTHER };
    expect(of(LIST, { ...second, index: 1 }, more)).toBeNull();
    expect(of(LIST, second, more)).toBe(ANOTHER);
    expect(of(LIST, second, { admittedUnder: WITHIN })).toBeNull(); // rules that are not there
  });

  test('that no engine takes is not asked', () => {
    for (const bad of [list(), list({ allow: false }), list({ when: 'nonsense >' }), list({ allow: true }, { allow: true })])
      expect(of(bad, second, { run: { verdict: 'allow' } })).toBeNull();
  });

  test('stands in the definition too, with the same conditions', () => {
    const rules = rulesOf({ [RULES]: policy({}, LIST), [OTHER]: policy() });
    const defined = {
      entries: [
        { when: 'input.cents > 1000', allow: false },
        { when: null, allow: true },
      ],
    };
    expect(rules.hasList(RULES, 'pay', defined)).toBe(true);
    expect(rules.hasList(RULES, 'pay', undefined)).toBe(false);
    expect(rules.hasList(RULES, 'pay', { entries: defined.entries.slice(1) })).toBe(false);
    expect(rules.hasList(RULES, 'send', undefined)).toBe(true);
    expect(rules.hasList(OTHER, 'pay', defined)).toBe(false);
    expect(rules.hasList(OTHER, 'pay', undefined)).toBe(true);
    expect(rules.hasList(WITHIN, 'pay', defined)).toBe(true); // rules that are not there
  });

  test('gives the entry of a call that ran', () => {
    const rules = rulesOf({ [RULES]: policy({}, LIST), ...destructive });
    expect(asked({ call: { class: 'destructive' }, entry: second, admittedUnder: RULES }, rules)).toBeNull();
    expect(rules.entryOf(DIGEST)).toEqual(second);
    expect(rules.entryOf(NAMED)).toBeUndefined();
  });
});
