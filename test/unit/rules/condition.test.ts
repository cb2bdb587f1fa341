/** Valid expressions, the values that they see, and the reason if they give none. Amounts: test/unit/tools/admit/conditions.test.ts. */
import { compileCondition, compileExpression } from '../../../src/rules/conditions/compile';
import type { ConditionFacts } from '../../../src/rules/conditions/condition';
import type { JsonObject } from '../../../src/shared/json/json';

const TOOL = { name: 'pay', version: '1.0', class: 'write', target: null, schema: {}, group: 'bank', egress: true };
const TURN = { untrusted: true, requester: 'rita', agent: 'clerk', step: 3 };
const call = (input: JsonObject = {}, tool: object = TOOL) => ({ tool, input, turn: TURN }) as unknown as ConditionFacts;

function valueOf(text: string, input?: JsonObject, tool?: object): unknown {
  const compiled = compileExpression(text);
  if (!compiled.ok) throw new Error(compiled.fault);
  const given = compiled.expression.evaluate(call(input, tool));
  return 'error' in given ? `error: ${given.error}` : given.value;
}
const faultOf = (text: unknown) => {
  const compiled = compileExpression(text);
  return compiled.ok ? null : compiled.fault;
};

describe('an expression', () => {
  it('is a text of at most 1,000 characters', () => {
    for (const text of [undefined, null, 7, '', '  \n']) expect(faultOf(text)).toBe('it must be a CEL expression');
    const long = (length: number) => `"${'a'.repeat(length - 2)}"`;
    expect([faultOf(long(1000)), faultOf(long(1001))]).toEqual([null, 'it has 1001 characters; at most 1000']);
    expect(faultOf('1 +')).toEqual(expect.any(String));
  });

  it('has the variables tool and turn as they are', () => {
    expect(valueOf('[tool.name, tool.version, tool.class, tool.group, turn.requester, turn.agent].all(x, x != "") ')).toBe(true);
    for (const [text, value] of [
      ['tool.name', 'pay'],
      ['tool.version', '1.0'],
      ['tool.class', 'write'],
      ['tool.group', 'bank'],
      ['tool.egress', true],
      ['turn.untrusted', true],
      ['turn.requester', 'rita'],
      ['turn.agent', 'clerk'],
      ['turn.step', 3n],
    ] as const)
      expect([text, valueOf(text)]).toEqual([text, value]);
    const { group: _, egress: __, ...plain } = TOOL;
    expect([valueOf('tool.group', {}, plain), valueOf('tool.egress', {}, plain)]).toEqual(['', false]);
  });

  it.each([
    ['1 < 2 ? "a" : "b"', 'a'],
    ['[1, 2][1]', 2n],
    ['!(1 in [2])', true],
    ['-input.a', -5n],
    ['type(1) == int && type(1u) == uint && type(1.0) == double', true],
    ['type("") == string && type(true) == bool && type(b"") == bytes', true],
    ['type([]) == list && type({}) == map && type(null) == null_type && type(int) == type', true],
    ['(input.list + [3])[2]', 3n],
    ['size([1] + input.list + [2, 3])', 5n],
    ['input.list.map(x, x + 1)[1]', 3n],
    ['{"a": input.a}["a"]', 5n],
    ['big("-12") + 2', -10n],
  ])('%s gives its value', (text, value) => expect(valueOf(text, { a: 5, list: [1, 2] })).toEqual(value));

  it.each([
    ['pay.amount > 1', 'pay is unknown; there are input, tool and turn'],
    ['tool.input == 1', 'tool has no input; it has name, version, class, group, egress'],
    ['turn.tenant == "a"', 'turn has no tenant; it has untrusted, requester, agent, step'],
    ['reverse(input.a)', 'there is no function reverse'],
    ['input.a.map(x, [1].map(y, y))', 'a loop (all, exists, map, filter…) within a loop'],
    ['[foo, 1]', 'foo is unknown; there are input, tool and turn'],
    ['{"a": foo}', 'foo is unknown; there are input, tool and turn'],
    ['{foo: 1}', 'foo is unknown; there are input, tool and turn'],
    ['size(foo)', 'foo is unknown; there are input, tool and turn'],
    ['foo.size()', 'foo is unknown; there are input, tool and turn'],
    ['foo.exists(x, true)', 'foo is unknown; there are input, tool and turn'],
    ['input.a.exists(x, foo)', 'foo is unknown; there are input, tool and turn'],
    ['input.a.exists(x, true) && x', 'x is unknown; there are input, tool and turn'],
    ['foo + bar + foo', 'foo is unknown; there are input, tool and turn; bar is unknown; there are input, tool and turn'],
    ['f(1).tenant', 'there is no function f'],
  ])('%s is refused: %s', (text, fault) => expect(faultOf(text)).toBe(fault));

  it.each<[string, string[], string[]]>([
    ['input.a == 1 && input.b.c == input.a', ['a', 'b'], ['input']],
    ['turn.requester == "x" || tool.class == "y"', [], ['turn.requester', 'tool.class']],
    ['turn == turn', [], ['turn']],
    ['input["a"]', [], ['input']],
    ['input.list.exists(x, x.name == turn.agent)', ['list'], ['input', 'turn.agent']],
    ['[1].exists(turn, turn.tenant == 1)', [], []],
    ['[1].exists(input, input.tenant == 1)', [], []],
    ['{"a": input.x}["a"]', ['x'], ['input']],
    ['1', [], []],
  ])('%s looks at these fields', (text, inputFields, reads) => {
    const compiled = compileExpression(text);
    expect(compiled).toMatchObject({ ok: true, expression: { text, inputFields, reads } });
  });

  it.each([
    ['input.none', /none/],
    ['1 / 0', /divi/],
    ['big("1.5")', /^error: big\("1\.5"\) is no whole number/],
    ['big("x1")', /is no whole number/],
    ['big("1x")', /is no whole number/],
    [`big("${'9'.repeat(900)}x")`, /^error: big\("9{40}"\) is no whole number/],
  ])('%s gives no value, with a reason', (text, why) => {
    const { stackTraceLimit } = Error;
    expect(valueOf(text)).toMatch(why);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });

  it('says how long it takes over a call', () => {
    const compiled = compileExpression('input.a == 1');
    if (!compiled.ok) throw new Error(compiled.fault);
    const [short, long] = ['x', 'x'.repeat(1000)].map((a) => compiled.expression.steps(call({ a })));
    expect(short).toBeGreaterThan(1000);
    expect(long! - short!).toBe(999 + 2 * 999 * 10);
  });
});

describe('a condition', () => {
  const holds = (text: string) => {
    const compiled = compileCondition(text);
    if (!compiled.ok) throw new Error(compiled.fault);
    return compiled.condition.holds(call({ a: 1 }));
  };

  it('is true or false, or gives the reason why it is neither', () => {
    expect([holds('input.a == 1'), holds('input.a == 2')]).toEqual([true, false]);
    expect(holds('input.a')).toEqual({ error: 'it gives bigint, not true or false' });
    expect(holds('input.none')).toEqual({ error: expect.stringContaining('none') });
    expect(compileCondition('foo')).toEqual({ ok: false, fault: 'foo is unknown; there are input, tool and turn' });
  });
});
