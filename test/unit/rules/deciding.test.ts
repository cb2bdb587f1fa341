/** The rule, mode or class that decides, and its words; and which tools can never run, before any call. */
import { compileRules, decide, neverRuns, type AgentPermissions, type CallFacts, type RuledTool } from '../../../src/rules';
import type { Policy } from '../../../src/rules/policy';
import type { RuleFiles } from '../../../src/rules/types';

const HASH = 'a'.repeat(64);
const tool = (more: Partial<RuledTool> = {}): RuledTool => ({
  name: 'look',
  version: '1.0.0',
  class: 'read',
  target: null,
  schema: { type: 'object' },
  ...more,
});
const pay = tool({ name: 'pay', class: 'destructive', target: 'text' });
const write = tool({ name: 'write', class: 'write', target: 'path' });
const bash = tool({ name: 'bash', class: 'destructive', target: 'command' });

const policyOf = (permissions: Partial<AgentPermissions>, within?: Policy['within']): Policy => ({
  ...compileRules({ mode: 'default', allow: [], ask: [], deny: [], ...permissions }),
  ...(within ? { within } : {}),
});
const callOf = (of: RuledTool, more: Partial<CallFacts> = {}): CallFacts => ({
  tool: of,
  input: {},
  targets: null,
  turn: { untrusted: false, requester: 'rita', agent: 'payables', step: 1 },
  ...more,
});
const verdict = (
  permissions: Partial<AgentPermissions>,
  of: RuledTool,
  more: Partial<CallFacts> = {},
  within?: Policy['within'],
) => decide(policyOf(permissions, within), callOf(of, more));

describe('if no rule matches', () => {
  it.each<[Partial<RuledTool>, Partial<AgentPermissions>, object]>([
    [{ class: 'compute' }, {}, { verdict: 'allow', reason: 'class compute does not ask' }],
    [{ class: 'read' }, {}, { verdict: 'allow', reason: 'class read does not ask' }],
    [{ class: 'write' }, {}, { verdict: 'allow', reason: 'class write does not ask' }],
    [{ class: 'destructive' }, {}, { verdict: 'ask', reason: 'class destructive always asks' }],
    [{ class: 'read' }, { mode: 'auto' }, { verdict: 'allow', reason: 'class read does not ask' }],
    [{ class: 'read', egress: false }, { mode: 'auto' }, { verdict: 'allow', reason: 'class read does not ask' }],
    [{ class: 'read', egress: true }, { mode: 'auto' }, { verdict: 'classify', reason: 'mode auto: look can carry data out' }],
    [{ class: 'write' }, { mode: 'auto' }, { verdict: 'classify', reason: 'mode auto: class write is not harmless' }],
    [{ class: 'write', egress: true }, { mode: 'auto' }, { verdict: 'classify', reason: 'mode auto: look can carry data out' }],
    [{ class: 'agent' }, { mode: 'auto' }, { verdict: 'classify', reason: 'mode auto: class agent is not harmless' }],
    [{ class: 'destructive' }, { mode: 'auto' }, { verdict: 'ask', reason: 'class destructive always asks' }],
    [{ class: 'read' }, { mode: 'plan' }, { verdict: 'allow', reason: 'class read does not ask' }],
  ])('%j under %j: %j', (of, permissions, expected) => {
    expect(verdict(permissions, tool(of))).toEqual({ word: null, rule: null, considered: [], ...expected });
  });

  it.each(['write', 'destructive', 'agent'] as const)('mode plan runs nothing of class %s', (of) => {
    const denied = {
      verdict: 'deny',
      reason: `mode plan runs nothing with effects, and look is of class ${of}`,
      word: 'plan_mode',
      rule: null,
    };
    expect(verdict({ mode: 'plan' }, tool({ class: of }))).toMatchObject(denied);
    expect(verdict({}, tool({ class: of }), {}, ['locked', 'plan'])).toMatchObject(denied);
    expect(verdict({ mode: 'plan', allow: ['look'] }, tool({ class: of }))).toMatchObject(denied);
  });

  it('mode locked runs only the reading of results', () => {
    const reason = 'mode locked runs only what a rule allows, and none allows look';
    const denied = { verdict: 'deny', reason, word: 'locked_mode', rule: null };
    expect(verdict({ mode: 'locked' }, tool())).toMatchObject(denied);
    expect(verdict({}, tool(), {}, ['locked'])).toMatchObject(denied);
    expect(verdict({ mode: 'locked' }, tool({ name: 'read_result' }))).toEqual({
      verdict: 'allow',
      reason: "it reads this conversation's own results",
      word: null,
      rule: null,
      considered: [],
    });
    expect(verdict({ mode: 'locked', allow: ['look'] }, tool())).toMatchObject({ verdict: 'allow' });
  });
});

describe('if rules match', () => {
  it('a denial wins, and gives its reason', () => {
    const permissions = { allow: ['look'], ask: ['look'], deny: [{ rule: 'l*', why: 'closed' }] };
    const found = verdict(permissions, tool());
    expect(found).toMatchObject({
      verdict: 'deny',
      reason: "the agent's rule deny l*: closed",
      word: 'denied_by_rule',
      rule: 'l*',
    });
    expect(found.considered).toEqual([
      { effect: 'allow', rule: 'look', matched: true, because: 'it matches', specificity: [2, 0, 0, 0, 4] },
      { effect: 'ask', rule: 'look', matched: true, because: 'it matches', specificity: [2, 0, 0, 0, 4] },
      { effect: 'deny', rule: 'l*', matched: true, because: 'it matches', specificity: [1, 0, 0, 0, 1] },
    ]);
  });

  it('the most specific rule decides, and of two equally specific rules the one that asks', () => {
    expect(verdict({ allow: ['look'], ask: ['look'] }, tool())).toMatchObject({
      verdict: 'ask',
      word: null,
      rule: 'look',
      reason: "the agent's rule ask look",
    });
    expect(verdict({ allow: ['look'], ask: ['l*'] }, tool())).toMatchObject({ verdict: 'allow', rule: 'look' });
    expect(verdict({ allow: ['l*'], ask: ['*'] }, tool())).toMatchObject({ verdict: 'allow', rule: 'l*' });
    expect(verdict({ allow: ['lo*'], ask: ['l*'] }, tool())).toMatchObject({ rule: 'lo*' });
    const targets = ['/src/a'];
    expect(verdict({ allow: ['write(/src/*)'], ask: ['write(/src/a)'] }, write, { targets })).toMatchObject({ verdict: 'ask' });
    expect(verdict({ allow: ['write(/src/[a-c])'], ask: ['write(/**)'] }, write, { targets })).toMatchObject({
      verdict: 'allow',
    });
    expect(verdict({ ask: ['write'], allow: ['write(/**)'] }, write, { targets })).toMatchObject({ verdict: 'allow' });
    const when = { rule: 'write', when: 'true' };
    expect(verdict({ allow: ['write(/src/a)'], ask: [when] }, write, { targets })).toMatchObject({
      verdict: 'ask',
      rule: 'write when true',
    });
  });

  it('a destructive tool is allowed only by its exact name', () => {
    const targets = ['x'];
    const because = 'a destructive tool is allowed only by a rule that names it exactly';
    const found = verdict({ allow: ['p*', '*'], ask: [] }, pay, { targets });
    expect(found.verdict).toBe('ask');
    expect(found.considered.map((one) => [one.matched, one.because])).toEqual([
      [false, because],
      [false, because],
    ]);
    expect(verdict({ allow: ['pay'] }, pay, { targets }).verdict).toBe('allow');
    expect(verdict({ allow: ['w*'] }, write, { targets: ['/a'] }).verdict).toBe('allow');
    expect(verdict({ deny: ['p*'] }, pay, { targets }).verdict).toBe('deny');
  });

  it('an allow rule must match all targets of a call; an ask or deny rule matches if one target does', () => {
    const rule = 'pay(*@b.example)';
    const [both, one] = [
      ['a@b.example', 'c@b.example'],
      ['a@b.example', 'c@d.example'],
    ];
    expect(verdict({ allow: [rule] }, pay, { targets: both }).verdict).toBe('allow');
    const found = verdict({ allow: [rule] }, pay, { targets: one });
    expect(found.verdict).toBe('ask');
    expect(found.considered[0]!.because).toBe('the pattern does not fit "a@b.example" and 1 more');
    expect(verdict({ deny: [rule] }, pay, { targets: one }).verdict).toBe('deny');
    expect(verdict({ deny: ['pay(x)'] }, pay, { targets: ['y'.repeat(200)] }).considered[0]!.because).toBe(
      `the pattern does not fit "${'y'.repeat(100)}"`,
    );
    expect(verdict({ deny: ['pay(x)'] }, pay, { targets: [] }).considered[0]!.because).toBe('the pattern does not fit ""');
  });

  it('targets that cannot be read match ask and deny rules, and no allow rule', () => {
    const because = 'what the call touches could not be read';
    for (const [effect, matched] of [
      ['allow', false],
      ['ask', true],
      ['deny', true],
    ] as const)
      expect(verdict({ [effect]: ['pay(x)'] }, pay, { targets: null }).considered[0]).toMatchObject({ matched, because });
    expect(verdict({ ask: ['pay(x)'] }, pay).reason).toBe(`the agent's rule ask pay(x): ${because}`);
    expect(verdict({ deny: ['look(x)'] }, tool(), { targets: ['x'] }).verdict).toBe('deny');
  });

  it('a condition counts if it is true; if it fails, the stricter result counts', () => {
    const under = (effect: 'allow' | 'ask' | 'deny', when: string, input = {}) =>
      verdict({ [effect]: [{ rule: 'pay', when }] }, pay, { input, targets: ['x'] }).considered[0]!;
    expect(under('allow', 'input.cents > 5', { cents: 6 })).toMatchObject({ matched: true, because: 'it matches' });
    expect(under('allow', 'input.cents > 5', { cents: 5 })).toMatchObject({ matched: false, because: 'its condition is false' });
    for (const effect of ['allow', 'ask', 'deny'] as const) {
      const failed = under(effect, 'input.cents > 5');
      expect(failed.matched).toBe(effect !== 'allow');
      expect(failed.because).toMatch(/^its condition failed \(.+\)$/);
    }
    const long = decide(policyOf({ deny: [{ rule: 'look', when: 'true' }] }), callOf(tool()), () => ({ error: 'x'.repeat(300) }));
    expect(long.considered[0]!.because).toBe(`its condition failed (${'x'.repeat(200)})`);
    expect(long.reason).toBe(`the agent's rule deny look when true: its condition failed (${'x'.repeat(200)})`);
  });
});

describe('the files that a command runs', () => {
  const rule = (files?: RuleFiles) => ({ rule: 'bash(npm test*)', ...(files === undefined ? {} : { files }) });
  const files = (held: Record<string, string | null>) => ({ hashOf: (path: string) => held[path], looked: held });
  const run = (allow: AgentPermissions['allow'], targets: string[] | null, more: Partial<CallFacts> = {}) =>
    verdict({ allow }, bash, { targets, ...more }).considered[0]!;

  it('bind a rule to the files that it names', () => {
    const bound = rule({ '/package.json': HASH });
    const of = (held: Record<string, string | null>) => run([bound], ['npm test'], { files: files(held) });
    expect(of({ '/package.json': HASH })).toMatchObject({ matched: true, because: 'it matches' });
    expect(of({ '/package.json': 'b'.repeat(64) })).toMatchObject({
      matched: false,
      because: `/package.json is another than the rule has: ${'b'.repeat(64)}`,
    });
    expect(of({ '/package.json': null }).because).toBe('there is no file /package.json');
    expect(of({}).because).toBe('what /package.json held was not written down');
    expect(run([bound], ['npm test']).because).toBe('what /package.json held was not written down');
    const script = { rule: 'bash(node x.js*)', files: { '/other': HASH } };
    expect(run([script], ['node x.js'], { files: files({ '/other': HASH }) }).because).toBe(
      'node runs what lies in /x.js, which is none of the files of the rule',
    );
    expect(run([rule('any')], ['npm test'], { files: files({}) })).toMatchObject({ matched: true });
  });

  it('are unknown to a rule that names no files', () => {
    const because = 'npm runs what lies in /package.json, and the rule has no files that say what that is';
    expect(run([rule()], ['npm test'], { files: files({}) })).toMatchObject({ matched: false, because });
    expect(run([rule()], ['npm test'])).toMatchObject({ matched: true });
    expect(run(['bash'], ['npm test'], { files: files({}) })).toMatchObject({ matched: true });
    expect(run([{ rule: 'bash', when: 'true' }], ['npm test'], { files: files({}) })).toMatchObject({ matched: false, because });
    expect(run([{ rule: 'bash', when: 'true' }], null, { files: files({}) })).toMatchObject({ matched: true });
    expect(run(['bash(git status*)'], ['git status'], { files: files({}) })).toMatchObject({ matched: true });
  });

  it('are elsewhere if the command changes the folder', () => {
    const any = { rule: 'bash', when: 'true', files: { '/package.json': HASH } };
    const elsewhere = 'it runs in another folder than the files of the rule';
    for (const command of [
      'cd x',
      'pushd x',
      'chdir x',
      'builtin cd x',
      'command cd x',
      'ls; cd x',
      'env -C x ls',
      'env --chdir=x ls',
      'env -iC x ls',
    ])
      expect(run([any], [command], { files: files({ '/package.json': HASH }) }).because).toBe(elsewhere);
    for (const command of ['ls cd', 'cdx', 'ls'])
      expect(run([any], [command], { files: files({ '/package.json': HASH }) }).because).not.toBe(elsewhere);
  });
});

describe('a tool that never runs', () => {
  const asker = { requester: 'rita', agent: 'payables' };
  const never = (
    permissions: Partial<AgentPermissions>,
    of = tool(),
    who: typeof asker | undefined = asker,
    within?: Policy['within'],
  ) => neverRuns(policyOf(permissions, within), of, who);

  it('is one that a rule denies for every call', () => {
    expect(never({})).toBe(false);
    expect(never({ deny: ['look'] })).toBe(true);
    expect(never({ ask: ['look'] })).toBe(false);
    expect(never({ deny: ['other'] })).toBe(false);
    expect(never({ deny: ['pay(x)'] }, pay)).toBe(false);
    expect(never({ deny: [{ rule: 'look', when: 'input.a == 1' }] })).toBe(false);
    expect(never({ deny: [{ rule: 'look', when: 'turn.untrusted' }] })).toBe(false);
    expect(never({ deny: [{ rule: 'look', when: 'turn.step == 1' }] })).toBe(false);
  });

  it('is one that a rule denies to a requester', () => {
    const deny = (when: string) => ({ deny: [{ rule: 'look', when }] });
    expect(never(deny('turn.requester == "rita"'))).toBe(true);
    expect(never(deny('turn.requester == "rita"'), tool(), { ...asker, requester: 'bob' })).toBe(false);
    expect(never(deny('turn.agent == "payables"'))).toBe(true);
    expect(never(deny('tool.class == "read"'))).toBe(true);
    expect(neverRuns(policyOf(deny('tool.class == "read"')), tool())).toBe(false);
    expect(never({ deny: [{ rule: 'pay(x)', when: 'tool.class == "destructive"' }] }, pay)).toBe(false);
    // What fails counts for the careful side.
    expect(never(deny('int(turn.requester) == 1'))).toBe(true);
  });

  it.each([
    ['read', false],
    ['compute', false],
    ['write', true],
    ['destructive', true],
    ['agent', true],
  ] as const)('under mode plan, of class %s: %j', (of, expected) => {
    expect(never({ mode: 'plan' }, tool({ class: of }))).toBe(expected);
    expect(never({ mode: 'plan', allow: ['look'] }, tool({ class: of }))).toBe(expected);
    expect(never({}, tool({ class: of }), asker, ['plan'])).toBe(expected);
    expect(never({}, tool({ class: of }))).toBe(false);
  });

  it('under mode locked is one that no rule allows or asks about', () => {
    expect(never({ mode: 'locked' })).toBe(true);
    expect(never({}, tool(), asker, ['locked'])).toBe(true);
    expect(never({ mode: 'locked' }, tool({ name: 'read_result' }))).toBe(false);
    expect(never({ mode: 'locked', allow: ['look'] })).toBe(false);
    expect(never({ mode: 'locked', ask: ['look'] })).toBe(false);
    expect(never({ mode: 'locked', deny: ['look(x)'] }, tool({ target: 'text' }))).toBe(true);
    expect(never({ mode: 'locked', allow: [{ rule: 'look', when: 'turn.requester == "bob"' }] })).toBe(true);
    expect(never({ mode: 'locked', allow: [{ rule: 'look', when: 'turn.requester == "rita"' }] })).toBe(false);
    expect(never({ mode: 'locked', allow: [{ rule: 'look', when: 'int(turn.requester) == 1' }] })).toBe(true);
    expect(never({ mode: 'locked', ask: [{ rule: 'look', when: 'int(turn.requester) == 1' }] })).toBe(false);
  });
});
