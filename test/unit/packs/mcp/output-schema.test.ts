import { outputSchemaOf, structuredFault } from '../../../../src/mcp/result';

const schema = () => ({ type: 'object', properties: { n: { type: 'integer', maximum: 9 } }, required: ['n'] });

describe("an MCP tool's output schema", () => {
  it('is converted and compiled once, however often the server sends it', () => {
    expect(outputSchemaOf(schema())).toBe(outputSchemaOf(schema()));
    expect(outputSchemaOf({ ...schema(), title: 'another' })).not.toBe(outputSchemaOf(schema()));
  });

  it('judges structured content', async () => {
    const fault = (structured?: object) => structuredFault('bank', 'pay', schema(), (structured ? { structured } : {}) as never);
    expect(await fault({ n: 3 })).toBeNull();
    expect(await fault({ n: 10 })).toMatch(/n must be <= 9|n .*9/);
    expect(await fault()).toContain('no structured content');
    expect(await structuredFault('bank', 'pay', undefined, {})).toBeNull();
  });
});
