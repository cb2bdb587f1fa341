import { compile } from '../../../../src/tools/schema/schema';
import { FEW_STEPS, stepsOver, weightOf } from '../../../../src/tools/schema/cost';
import type { JsonObject } from '../../../../src/shared/json/json';

const steps = (schema: object, value: object) => stepsOver(weightOf(schema as JsonObject), JSON.stringify(value));
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { x: nested(depth - 1) });
const ref = { $ref: '#/$defs/node' };
const under = (node: object) => ({ type: 'object', properties: { x: ref }, $defs: { node } });

describe('the cost of a schema', () => {
  it('grows linearly with the value if there is no recursion, or only one way down', () => {
    const plain = { type: 'object', properties: { a: { type: 'string' } } };
    expect(steps(plain, { a: 'x'.repeat(500_000) })).toBeLessThan(FEW_STEPS);
    expect(steps(under({ properties: { x: ref } }), nested(40))).toBeLessThan(FEW_STEPS);
    const expression = { anyOf: [{ type: 'number' }, { type: 'object', properties: { left: ref, x: ref } }] };
    expect(steps(under(expression), nested(40))).toBeLessThan(FEW_STEPS);
  });

  it.each([
    ['two ways in one list', { anyOf: [{ properties: { x: ref } }, { properties: { x: ref } }] }],
    ['a name and a pattern', { properties: { x: ref }, patternProperties: { '^x$': ref } }],
    ['a reference beside a way', { properties: { x: ref }, $ref: '#/$defs/again', $defs: {} }],
  ])('doubles with the depth for %s', (_what, node) => {
    const schema = under(node) as { $defs: Record<string, object> };
    schema.$defs.again = { properties: { x: ref } };
    expect(steps(schema, nested(3))).toBeLessThan(FEW_STEPS);
    expect(steps(schema, nested(40))).toBeGreaterThan(FEW_STEPS);
  });

  it('grows with the square of lists whose items differ, and with the size of patterns', () => {
    const list = Array.from({ length: 3000 }, (_, i) => ({ i }));
    expect(steps({ type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }, { a: list })).toBeGreaterThan(
      FEW_STEPS,
    );
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '(a?){400}b$' } } };
    expect(steps(pattern, { a: 'a'.repeat(100) })).toBeLessThan(FEW_STEPS);
    expect(steps(pattern, { a: 'a'.repeat(20_000) })).toBeGreaterThan(FEW_STEPS);
  });

  it('is spent in a thread if it is large: the answer is the same', async () => {
    const validate = compile({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^[a-z]{1,900}$' }, b: { default: 1 } },
    });
    const good = { a: 'a'.repeat(390), c: 'x'.repeat(20_000) };
    const bad = { ...good, a: 'B' };
    expect(validate(good)).toMatchObject({ valid: false, violations: [{ message: expect.stringContaining('too long') }] });
    await Promise.all([validate.ahead(good, 'test'), validate.ahead(bad, 'test')]);
    expect(validate(good)).toEqual({ valid: true, data: { ...good, b: 1 } });
    expect(validate(bad)).toMatchObject({ valid: false, violations: [{ path: '/a' }] });
  });
});
