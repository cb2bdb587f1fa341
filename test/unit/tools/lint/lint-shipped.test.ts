import { lintTool } from '../../../../src/tools/lint/lint';
import { shippedTools } from '../../../support/shipped-tools';

describe('the tools that ship', () => {
  const shipped = new Map(shippedTools().map((tool) => [tool.name, tool]));

  it.each([...shipped.keys()])('%s has no findings', (name) => {
    expect(lintTool(shipped.get(name)!)).toEqual([]);
  });
});
