/** Tools of a server that lists many, or large ones: no other work in the process has to wait for them. */
import { parseListedTool, usableTools } from '../../../../src/mcp/listed-tool';

const fields = (prefix: string, many: number) =>
  Object.fromEntries(Array.from({ length: many }, (_, n) => [`${prefix}${n}`, { type: 'string', maxLength: n + 1 }]));
const tool = (n: number, many: number) => ({
  name: `tool_${n}`,
  description: 'Looks something up.',
  inputSchema: { type: 'object', properties: fields(`in_${n}_`, many) },
});
const listed = (tools: number, many: number) => Array.from({ length: tools }, (_, n) => tool(n, many));

async function used(raw: unknown[], known: Awaited<ReturnType<typeof usableTools>> = []) {
  const refused: string[] = [];
  const tools = await usableTools('bank', raw, known, (why) => refused.push(why));
  return { tools, refused };
}

describe('the tools that a server lists', () => {
  it('let other work run while their schemas are compiled', async () => {
    let turns = 0;
    const others = setInterval(() => (turns += 1), 1);
    const { tools } = await used(listed(60, 20));
    clearInterval(others);
    expect(tools).toHaveLength(60);
    expect(turns).toBeGreaterThan(3);
  });

  it('are compiled again only if the server changed them', async () => {
    const { tools } = await used(listed(3, 2));
    const again = await used([...listed(2, 2), tool(2, 5)], tools);
    expect(again.tools.map((one, n) => one === tools[n])).toEqual([true, true, false]);
  });

  it('have at most 20,000 schemas together; the tools after them are left out, and this is reported', async () => {
    const raw = listed(24, 900);
    const { tools, refused } = await used(raw, raw.map(parseListedTool)); // what is known is not compiled, and counts
    expect(tools).toHaveLength(22);
    expect(refused).toEqual([
      'with "tool_22" the tools have more than 20000 schemas together',
      'with "tool_23" the tools have more than 20000 schemas together',
    ]);
  });

  it('are independent: one that cannot be used hides no other', async () => {
    const { tools, refused } = await used([7, tool(1, 1), tool(1, 1), { ...tool(2, 1), inputSchema: { type: 'list' } }]);
    expect(tools.map(({ name }) => name)).toEqual(['tool_1']);
    expect(refused).toHaveLength(3);
  });
});
