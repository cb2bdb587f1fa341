import type { AgentPermissions } from '../../../../src/agents/define';
import { matchesWildcard } from '../../../../src/rules/text-pattern';
import { prepared, TOOLS, tool, verdict } from './support';

type Rules = Partial<AgentPermissions>;

describe('which rule decides', () => {
  it.each<[Rules, string, Record<string, unknown>, string]>([
    // names
    [{}, 'look', {}, 'allow'],
    [{}, 'send', { to: 'x' }, 'ask'],
    [{ deny: ['look'] }, 'look', {}, 'deny'],
    [{ deny: ['l*'] }, 'look', {}, 'deny'],
    [{ deny: ['*'] }, 'look', {}, 'deny'],
    [{ deny: ['*k'] }, 'send', {}, 'ask'],
    [{ ask: ['look'] }, 'look', {}, 'ask'],
    [{ allow: ['send'] }, 'send', { to: 'x' }, 'allow'],
    // a destructive tool wants its exact name
    [{ allow: ['*'] }, 'send', { to: 'x' }, 'ask'],
    [{ allow: ['s*'] }, 'send', { to: 'x' }, 'ask'],
    [{ allow: ['s*(*)'] }, 'send', { to: 'x' }, 'ask'],
    // patterns
    [{ allow: ['send(*@bank.example)'] }, 'send', { to: 'ana@bank.example' }, 'allow'],
    [{ allow: ['send(*@bank.example)'] }, 'send', { to: 'ana@bank.example.evil.example' }, 'ask'],
    [{ allow: ['send(*@bank.example)'] }, 'send', { to: 'ANA@BANK.EXAMPLE' }, 'ask'],
    [{ deny: ['send(*@evil.example)'] }, 'send', { to: 'MALLORY@Evil.Example ' }, 'deny'],
    [{ deny: ['send(*@evil.example)'] }, 'send', { to: 'mallory@ｅｖｉｌ.example' }, 'deny'],
    [{ allow: ['send(*@bank.example)'] }, 'send', { to: 'x@evil.example\nbcc: a@bank.example' }, 'ask'],
    // all targets for allow, any for ask and deny
    [{ allow: ['send(*@b.example)'] }, 'send', { to: ['a@b.example', 'c@b.example'] }, 'allow'],
    [{ allow: ['send(*@b.example)'] }, 'send', { to: ['a@b.example', 'c@d.example'] }, 'ask'],
    [{ deny: ['send(*@d.example)'] }, 'send', { to: ['a@b.example', 'c@d.example'] }, 'deny'],
    [{ allow: ['send(*)'] }, 'send', { to: [] }, 'ask'],
    [{ deny: ['send(x)'] }, 'send', { to: [] }, 'deny'],
    [{ deny: ['send(x)'] }, 'send', { to: 7 }, 'deny'],
    [{ allow: ['send(*)'] }, 'send', { to: 7 }, 'ask'],
    // specificity
    [{ allow: ['edit_file'], ask: ['edit_*'] }, 'edit_file', { path: '/a' }, 'allow'],
    [{ allow: ['edit_*'], ask: ['edit_file'] }, 'edit_file', { path: '/a' }, 'ask'],
    [{ allow: ['edit_*'], ask: ['*'] }, 'edit_file', { path: '/a' }, 'allow'],
    [{ allow: ['edit_file'], ask: ['edit_file'] }, 'edit_file', { path: '/a' }, 'ask'],
    [{ allow: ['edit_file(/src/**)'], ask: ['edit_file'] }, 'edit_file', { path: '/src/a' }, 'allow'],
    [{ allow: ['edit_file(/src/**)'], ask: ['edit_file(/src/gen/**)'] }, 'edit_file', { path: '/src/gen/a' }, 'ask'],
    [{ allow: ['edit_file(/src/gen/**)'], ask: ['edit_file(/src/**)'] }, 'edit_file', { path: '/src/gen/a' }, 'allow'],
    [{ allow: ['edit_file(/src/**)'], ask: ['edit_file(/src/gen/a)'] }, 'edit_file', { path: '/src/gen/a' }, 'ask'],
    [{ allow: ['edit_file(/src/gen/a)'], ask: ['edit_file(/src/gen/**)'] }, 'edit_file', { path: '/src/gen/a' }, 'allow'],
    [{ allow: ['edit_file(/src/**)'], ask: [{ rule: 'edit_file', when: 'true' }] }, 'edit_file', { path: '/src/a' }, 'ask'],
    [{ allow: ['edit_file(/src/**)'], deny: ['*'] }, 'edit_file', { path: '/src/a' }, 'deny'],
    // commands
    [{ allow: ['bash(git status*)'] }, 'bash', { command: 'git status --short' }, 'allow'],
    [{ allow: ['bash(git status*)'] }, 'bash', { command: 'git push' }, 'ask'],
    [{ deny: ['bash(rm *)'] }, 'bash', { command: 'ls && sudo -n  /bin/RM   -rf /' }, 'deny'],
    [{ deny: ['bash(rm *)'] }, 'bash', { command: "r\\m -rf x; 'r'm x" }, 'deny'],
    [{ deny: ['bash(rm *)'] }, 'bash', { command: 'echo $(A=1 rm x)' }, 'deny'],
    [{ deny: ['bash(rm *)'] }, 'bash', { command: 'rm${IFS}x' }, 'deny'],
    [{ deny: ['bash(rm *)'] }, 'bash', { command: 'git commit -m "no rm here"' }, 'ask'],
    [{ ask: ['bash(git push*)'], allow: ['bash'] }, 'bash', { command: 'git add . && git  push -f' }, 'ask'],
    [{ ask: ['bash(git push*)'], allow: ['bash'] }, 'bash', { command: 'git add .' }, 'allow'],
  ])('%j: %s %j → %s', (rules, name, input, expected) => {
    expect(verdict(rules, name, input).verdict).toBe(expected);
  });

  it('names the rule, with its reason', () => {
    const said = verdict({ deny: [{ rule: 'look', why: 'closed on Sundays' }] }, 'look');
    expect(said).toMatchObject({ verdict: 'deny', rule: 'look', reason: "the agent's rule deny look: closed on Sundays" });
    expect(verdict({ allow: ['*', 'look'] }, 'look').considered.map((rule) => [rule.rule, rule.matched])).toEqual([
      ['*', true],
      ['look', true],
    ]);
  });

  it('a tool that cannot name its targets matches ask and deny rules, and no allow rule', () => {
    const broken = tool('broken', {
      ruleTarget: {
        kind: 'path',
        of: () => {
          throw new Error('x');
        },
      },
    });
    const of = (rules: Rules) => verdict(rules, 'broken', {}, {}, [broken]).verdict;
    expect(of({ deny: ['broken(/a)'] })).toBe('deny');
    expect(of({ ask: ['broken(/a)'] })).toBe('ask');
    expect(of({ mode: 'locked', allow: ['broken(/**)'] })).toBe('deny');
  });
});

describe('modes', () => {
  const of = (mode: AgentPermissions['mode'], name: string, rules: Rules = {}) =>
    verdict({ mode, ...rules }, name, { to: 'x' }).verdict;
  it.each<[string, Record<string, string>]>([
    ['default', { look: 'allow', edit_file: 'allow', send: 'ask', post: 'allow', fetch: 'allow', delegate: 'allow' }],
    ['auto', { look: 'allow', edit_file: 'classify', send: 'ask', post: 'classify', fetch: 'classify', delegate: 'classify' }],
    ['plan', { look: 'allow', edit_file: 'deny', send: 'deny', post: 'deny', fetch: 'allow', delegate: 'deny' }],
    [
      'locked',
      { look: 'deny', edit_file: 'deny', send: 'deny', post: 'deny', fetch: 'deny', delegate: 'deny', read_result: 'allow' },
    ],
  ])('%s decides if no rule matches', (mode, expected) => {
    const found = Object.fromEntries(Object.keys(expected).map((name) => [name, of(mode as never, name)]));
    expect(found).toEqual(expected);
  });

  it('plan is not overruled by allow rules, and says so', () => {
    expect(verdict({ mode: 'plan', allow: ['send', 'post', 'edit_file'] }, 'post')).toMatchObject({
      verdict: 'deny',
      word: 'plan_mode',
    });
    expect(of('plan', 'send', { ask: ['send'] })).toBe('deny');
  });

  it('locked runs a call that an allow rule names, and asks if an ask rule matches', () => {
    expect(of('locked', 'look', { allow: ['look'] })).toBe('allow');
    expect(of('locked', 'look', { ask: ['look'] })).toBe('ask');
    expect(of('locked', 'send', { allow: ['send'] })).toBe('allow');
    expect(verdict({ mode: 'locked' }, 'look')).toMatchObject({ verdict: 'deny', word: 'locked_mode' });
  });

  it('auto does not change the decisions of rules', () => {
    expect(of('auto', 'post', { allow: ['post'] })).toBe('allow');
    expect(of('auto', 'post', { ask: ['post'] })).toBe('ask');
  });
});

describe('rules that are wrong', () => {
  it('are all reported when the agent is defined', () => {
    const rules = {
      mode: 'yolo',
      allow: ['look('],
    };
    expect(() => prepared(rules as never)).toThrow(/mode is "yolo"/);
    const faults = () =>
      prepared({
        allow: [
          'look(',
          'nope',
          'look(/x)',
          'edit_file((a+)+)',
          'edit_file(../x)',
          7 as never,
          { rule: 'look', wenn: 'x' } as never,
        ],
        ask: [
          { rule: 'look', when: 'input.' },
          { rule: 'look', when: 'inptu.x > 1' },
          { rule: 'look', when: 'turn.trusted' },
        ],
        deny: [
          { rule: 'look', when: 'nofunction(1)' },
          { rule: 'look', when: 'x'.repeat(1001) },
          { rule: 'look', when: '[1].all(x, [2].all(y, y > x))' },
        ],
      });
    for (const part of [
      '"look(" must be a tool\'s name',
      'permissions name "nope"',
      '"look(/x)" has a pattern, but look declares no ruleTarget',
      '( ) | ! and \\ are not among them',
      'it leaves the root',
      '7 is neither',
      'wenn is no field; the fields are rule, when, why, files',
      'when of "look": <input>:1',
      'inptu is unknown; there are input, tool and turn',
      'turn has no trusted',
      'there is no function nofunction',
      'it has 1001 characters',
      'within a loop',
    ])
      expect(faults).toThrow(part);
  });

  it('a condition on a field that the tool does not have is a mistake', () => {
    const pay = tool('pay', { input: { type: 'object', properties: { cents: { type: 'integer' } } } });
    expect(() => prepared({ ask: [{ rule: 'pay', when: 'input.cent > 1' }] }, [pay])).toThrow('the input has no field cent');
    expect(() => prepared({ ask: [{ rule: 'pay', when: 'input.cents > 1' }] }, [pay])).not.toThrow();
  });

  it('lists of plain names still work, and keep their hash', () => {
    const { policyRef } = prepared({ allow: ['send'], ask: [], deny: ['post'] });
    expect(policyRef).toBe(prepared({ allow: ['send'], ask: [], deny: ['post'], mode: 'default' }).policyRef);
    const others = [
      prepared({ allow: ['send'], deny: ['post'], mode: 'auto' }),
      prepared({ allow: [{ rule: 'send', when: 'true' }], deny: ['post'] }),
      prepared({ allow: ['send'], deny: ['post'] }, TOOLS, { hooks: { before: [{ name: 'h', run: () => undefined }] } }),
      prepared({ allow: ['send'], deny: ['post'] }, TOOLS, { hooks: { after: [{ name: 'h', run: () => undefined }] } }),
      prepared({ allow: ['send'], deny: ['post'] }, TOOLS, {
        classifier: { name: 'c', decide: () => ({ verdict: 'ask', reason: '' }) },
      }),
    ].map((agent) => agent.policyRef);
    expect(new Set([policyRef, ...others]).size).toBe(6);
  });
});

describe('a wildcard', () => {
  it.each([
    ['*', '', true],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXcYb', false],
    ['a', 'ab', false],
    ['', '', true],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['*', '*', true],
  ])('%j on %j: %s', (pattern, text, expected) => expect(matchesWildcard(pattern, text)).toBe(expected));
});
