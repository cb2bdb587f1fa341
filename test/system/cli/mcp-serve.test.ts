import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { textOf } from '../../engine/support/mcp';
import { lines, MAIN, run } from './support/cli';
import { startDev, type Dev } from './support/dev';

const APP = join(__dirname, 'fixtures/call.app.ts');
const NOISY = join(__dirname, 'fixtures/noisy.app.ts');

describe('holdfast mcp serve, beside an embedded stack', () => {
  let dev: Dev;
  beforeAll(async () => (dev = await startDev(['--app', APP])), 180_000);
  afterAll(() => dev?.stop(), 180_000);

  async function connected<R>(args: string[], work: (client: Client, faults: Error[]) => Promise<R>): Promise<R> {
    const client = new Client({ name: 'editor', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    const faults: Error[] = [];
    client.onerror = (error) => void faults.push(error);
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { decision: 'approve' } }));
    const env = Object.fromEntries(Object.entries(dev.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', 'serve', ...args], env, stderr: 'ignore' }),
    );
    try {
      return await work(client, faults);
    } finally {
      await client.close();
    }
  }

  it('serves tools to the client that started it; what the app prints does not disturb it', () =>
    connected(['--app', NOISY, '--by', 'ed'], async (client, faults) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual(['ask_tester', 'holdfast_outcome', 'pay', 'report', 'slow']);
      const heard: string[] = [];
      const slow = await client.callTool({ name: 'slow' }, undefined, {
        onprogress: ({ message }) => void heard.push(message ?? ''),
      });
      expect(textOf(slow)).toBe('done');
      expect(heard).toContain('half way');
      const paid = await client.callTool({ name: 'pay', arguments: { size: 3 } });
      expect(paid.structuredContent).toEqual({ paid: 3 });
      const { id } = (paid._meta as any)['holdfast/call'];
      const { stdout } = await run(['show', id, '--json'], dev.env);
      expect(lines(stdout)[0]).toMatchObject({ requester: 'ed', calls: [{ approval: { by: ['ed'] } }] });
      expect(faults).toEqual([]);
    }));

  it('serves the prompts of its own app file, to the name that it was started under', () =>
    connected(['--app', NOISY, '--by', 'ed', '--agent', 'tester'], async (client, faults) => {
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'brief' }]);
      const { messages } = await client.getPrompt({ name: 'brief' });
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'ed, tester' } }]);
      expect(faults).toEqual([]);
    }));

  it('refuses an agent that there is not, with nothing on standard output', async () => {
    const { code, stdout, stderr } = await run(['mcp', 'serve', '--app', APP, '--agent', 'nobody'], dev.env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no agent "nobody"');
  });
});
