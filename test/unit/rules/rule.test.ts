/** The parts of a rule: its faults, its subject, and how specific it is. */
import { permissionFaults, shapeFaults, withDefaults } from '../../../src/rules/policy';
import { compareSpecificity, faultsFor, isExact, names, parseRule, specificity, type Rule } from '../../../src/rules/rule';
import type { RuledTool, RuleEffect, RuleEntry } from '../../../src/rules/types';

const HASH = 'a'.repeat(64);
const tool = (more: Partial<RuledTool> = {}): RuledTool => ({
  name: 'look',
  version: '1.0.0',
  class: 'read',
  target: null,
  schema: { type: 'object', additionalProperties: false, properties: { cents: {} } },
  ...more,
});
const parsed = (entry: unknown, effect: RuleEffect = 'allow'): Rule => {
  const found = parseRule(effect, entry as RuleEntry);
  if (!found.ok) throw new Error(found.fault);
  return found.rule;
};
const fault = (entry: unknown, effect: RuleEffect = 'allow') => {
  const found = parseRule(effect, entry as RuleEntry);
  return found.ok ? null : found.fault;
};

describe('a rule', () => {
  it('has a name, and may have a pattern, a condition, a reason and files', () => {
    const bare = { effect: 'ask', text: 'look', name: 'look', pattern: null, condition: null, why: null, files: null };
    expect(parsed('look', 'ask')).toEqual(bare);
    expect(parsed({ rule: 'look' }, 'ask')).toEqual(bare);
    expect(parsed('look(a(b)c)')).toMatchObject({ text: 'look(a(b)c)', name: 'look', pattern: 'a(b)c' });
    const whole = parsed({ rule: 'bash(x)', when: 'input.a == 1', why: 'so', files: { '/a': HASH } });
    expect(whole).toMatchObject({ text: 'bash(x) when input.a == 1', pattern: 'x', why: 'so', files: { '/a': HASH } });
    expect(whole.condition!.text).toBe('input.a == 1');
    expect(parsed({ rule: 'bash(x)', files: 'any' }).files).toBe('any');
  });

  const FORM = (rule: string) =>
    `allow: ${JSON.stringify(rule)} must be a tool's name, with * for any characters, and then perhaps (pattern)`;
  it.each(['', ' look', 'look ', '1look', '-look', 'lo ok', 'look(', 'look(x', 'look(x)y', '(x)', 'x'.repeat(65), 'look.'])(
    '%j is not a rule',
    (rule) => expect(fault(rule)).toBe(FORM(rule)),
  );
  it.each(['x'.repeat(64), '*', '_a', 'A-1_*', 'look)'.slice(0, 4)])('%j is a rule', (rule) => expect(fault(rule)).toBeNull());

  it.each([null, 7, {}, { rule: 7 }, []])('%j is not a rule', (entry) => {
    expect(fault(entry, 'deny')).toBe(`deny: ${JSON.stringify(entry)} is neither a rule's text nor {rule, when, why}`);
  });

  it('has no other fields, and each field is within its limit', () => {
    expect(fault({ rule: 'look', wen: 'x', y: 1 })).toBe(
      'allow: "look": wen is no field; did you mean when?; y is no field; the fields are rule, when, why, files',
    );
    expect(fault('look()')).toBe('allow: "look()" has a pattern of 0 characters; it may have 1 to 300');
    expect(fault(`look(${'x'.repeat(300)})`)).toBeNull();
    expect(fault(`look(${'x'.repeat(301)})`)).toContain('has a pattern of 301 characters; it may have 1 to 300');
    const why = 'allow: why of "look" must be a text of at most 300 characters';
    expect(fault({ rule: 'look', why: 'x'.repeat(300) })).toBeNull();
    expect(fault({ rule: 'look', why: 'x'.repeat(301) })).toBe(why);
    expect(fault({ rule: 'look', why: ['x'] })).toBe(why);
    expect(fault({ rule: 'look', when: 'nothing > 1' })).toBe(
      'allow: when of "look": nothing is unknown; there are input, tool and turn',
    );
    expect(fault({ rule: 'look', when: 7 })).toBe('allow: when of "look": it must be a CEL expression');
  });

  it('has files only if it allows something narrow', () => {
    const about = (rest: object, effect: RuleEffect = 'allow') => fault({ rule: 'bash(x)', ...rest }, effect);
    const of = (text: string, effect = 'allow') => `${effect}: files of "bash(x)": ${text}`;
    for (const effect of ['ask', 'deny'] as const)
      expect(about({ files: 'any' }, effect)).toBe(
        of('only an allow rule has them: ask and deny hold whatever lies there', effect),
      );
    expect(fault({ rule: 'bash', files: 'any' })).toBe(
      'allow: files of "bash": they go with a pattern or a condition, which says what command reads them',
    );
    expect(fault({ rule: 'bash', when: 'true', files: 'any' })).toBeNull();
    for (const files of [{}, null, 'all', 7, Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`/${n}`, HASH]))])
      expect(about({ files })).toBe(of('give 1 to 50 of them, or any'));
    expect(about({ files: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`/${n}`, HASH])) })).toBeNull();
  });

  it.each([['/a'], ['/a/b'], ['/..a'], ['/a/...'], ['/.a'], [`/${'x'.repeat(255)}`], ['/a'.repeat(64)]])(
    'may name the file %j',
    (path) => {
      expect(fault({ rule: 'bash(x)', files: { [path]: HASH } })).toBeNull();
    },
  );

  it.each([
    ['a', HASH],
    ['', HASH],
    ['/', HASH],
    ['/a/', HASH],
    ['//a', HASH],
    ['/./a', HASH],
    ['/../a', HASH],
    ['/a/..', HASH],
    ['/a/.', HASH],
    ['/a\0', HASH],
    [`/${'x'.repeat(256)}`, HASH],
    ['/a'.repeat(65), HASH],
    ['/a', 'a'.repeat(63)],
    ['/a', 'a'.repeat(65)],
    ['/a', 'A'.repeat(64)],
    ['/a', [HASH]],
    ['/a', null],
  ])('does not name the file %j as %j', (path, hash) => {
    expect(fault({ rule: 'bash(x)', files: { '/ok': HASH, [path]: hash } })).toBe(
      `allow: files of "bash(x)": ${JSON.stringify([path, hash])} must be a path from the root, such as /package.json, and a SHA-256 in 64 hex digits`,
    );
  });
});

describe('a rule for the agent’s tools', () => {
  it('names one of them if it is exact', () => {
    expect(faultsFor(parsed('look'), [tool()])).toEqual([]);
    expect(faultsFor(parsed('other'), [tool()])).toEqual(['permissions name "other", which is none of the agent\'s tools']);
    expect(faultsFor(parsed('o*'), [tool()])).toEqual([]);
    expect([isExact(parsed('look')), isExact(parsed('l*'))]).toEqual([true, false]);
    expect([names(parsed('l*'), 'look'), names(parsed('l*'), 'pay')]).toEqual([true, false]);
  });

  it('has a pattern only for tools that declare what to match', () => {
    const tools = [tool(), tool({ name: 'lock', target: 'text' }), tool({ name: 'pay', target: null })];
    expect(faultsFor(parsed('l*(x)'), tools)).toEqual([
      'allow: "l*(x)" has a pattern, but look declares no ruleTarget to match it with',
    ]);
    expect(faultsFor(parsed('lock((x))'), tools)).toEqual([]);
    expect(faultsFor(parsed('edit((x))'), [tool({ name: 'edit', target: 'path' })])).toEqual([
      expect.stringMatching(/^allow: "edit\(\(x\)\)": a path pattern has/),
    ]);
    expect(faultsFor(parsed('edit(/x)'), [tool({ name: 'edit', target: 'path' })])).toEqual([]);
  });

  it('has files only for tools that run commands', () => {
    const rule = parsed({ rule: '*sh(x)', files: 'any' });
    const [bash, fish] = [tool({ name: 'bash', target: 'command' }), tool({ name: 'fish', target: 'text' })];
    expect(faultsFor(rule, [bash])).toEqual([]);
    expect(faultsFor(rule, [bash, fish])).toEqual(['allow: "*sh(x)" has files, which are for tools that run commands']);
  });
});

describe('how specific a rule is', () => {
  it.each<[unknown, 'path' | 'text' | null, number[]]>([
    ['*', null, [0, 0, 0, 0, 0]],
    ['l*k', null, [1, 0, 0, 0, 2]],
    ['look', null, [2, 0, 0, 0, 4]],
    [{ rule: 'look', when: 'true' }, null, [2, 1, 0, 0, 4]],
    ['look(abc)', 'text', [2, 0, 2, 3, 4]],
    ['look(a*c)', 'text', [2, 0, 1, 2, 4]],
    ['look(a?c)', 'text', [2, 0, 2, 3, 4]],
    ['look(/a?c)', 'path', [2, 0, 1, 4, 4]],
    ['look(/a[bc])', 'path', [2, 0, 1, 6, 4]],
    ['look(/{a,b})', 'path', [2, 0, 1, 6, 4]],
    ['look(/a*)', 'path', [2, 0, 1, 2, 4]],
    ['look(/abc)', 'path', [2, 0, 2, 4, 4]],
  ])('%j over a %s is %j', (entry, kind, expected) => {
    expect(specificity(parsed(entry), kind)).toEqual(expected);
  });

  it('is compared from the left', () => {
    expect(compareSpecificity([1, 0], [1, 0])).toBe(0);
    expect(compareSpecificity([2, 0], [1, 9])).toBe(1);
    expect(compareSpecificity([1, 3], [1, 5])).toBe(-2);
  });
});

describe('permissions', () => {
  it('have a mode and lists, and nothing else', () => {
    expect(withDefaults(undefined)).toEqual({ mode: 'default', allow: [], ask: [], deny: [] });
    expect(withDefaults({ mode: 'plan', ask: ['x'] })).toEqual({ mode: 'plan', allow: [], ask: ['x'], deny: [] });
    expect(shapeFaults({})).toEqual([]);
    expect(shapeFaults({ mode: 'auto', allow: [], ask: [], deny: [] })).toEqual([]);
    expect(shapeFaults({ mode: 'open', allow: 'look', ask: {}, deny: 7, extra: 1 } as never)).toEqual([
      expect.stringContaining('permissions.extra is no field; the fields are mode, '),
      'permissions.allow must be a list of rules',
      'permissions.ask must be a list of rules',
      'permissions.deny must be a list of rules',
      expect.stringMatching(/^permissions.mode is "open"; it must be one of .*default.*, .*plan/),
    ]);
  });

  const faults = (permissions: object, tools = [tool()], later?: (name: string) => boolean) =>
    permissionFaults(withDefaults(permissions), tools, later);

  it('are read rule by rule, each with its fault', () => {
    expect(faults({ allow: ['look'], ask: ['look'], deny: ['l*'] })).toEqual([]);
    expect(faults({ allow: ['lo ok'], ask: ['other'], deny: [7] })).toEqual([
      expect.stringContaining('allow: "lo ok" must be'),
      'permissions name "other", which is none of the agent\'s tools',
      expect.stringContaining('deny: 7 is neither'),
    ]);
    expect(faults({ allow: 'look', ask: ['other'] } as never)).toEqual(['permissions.allow must be a list of rules']);
    expect(faults({ ask: ['other'] }, [tool()], (name) => name === 'other')).toEqual([]);
  });

  it('have conditions on existing fields of the input', () => {
    const about = (field: string, rule = 'look', tools = [tool()]) =>
      faults({ ask: [{ rule, when: `input.${field} > 1` }] }, tools);
    const missing = (field: string, rule = 'look') => [`ask: "${rule} when input.${field} > 1": the input has no field ${field}`];
    expect(about('cents')).toEqual([]);
    expect(about('sents')).toEqual(missing('sents'));
    expect(about('toString')).toEqual(missing('toString'));
    expect(about('sents', '*')).toEqual([]);
    expect(about('sents', 'l*')).toEqual(missing('sents', 'l*'));
    expect(about('sents', 'x*')).toEqual([]);
    const open = tool({ name: 'lax', schema: { type: 'object' } });
    expect(about('sents', 'l*', [tool(), open])).toEqual([]);
    const has = tool({ name: 'lap', schema: { additionalProperties: false, properties: { sents: {} } } });
    expect(about('sents', 'l*', [tool(), has])).toEqual([]);
    const none = tool({ schema: { additionalProperties: false } });
    expect(about('sents', 'look', [none])).toEqual(missing('sents'));
    expect(faults({ ask: ['look'] }, [none])).toEqual([]);
  });
});
