import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { testAddress, withEngine, type Engine } from '../../engine/support/engine';
import { textOf } from '../../support/mcp-text';
import { environment, run } from '../../support/command-line';
import app from './fixtures/call.app';
import { MAIN } from './support/cli';

const APP = join(__dirname, 'fixtures/call.app.ts');
const NOISY = join(__dirname, 'fixtures/noisy.app.ts');
const HOME = join(tmpdir(), 'holdfast-no-such-home');

/** Beside a worker of our own. */
async function connected(
  args: string[],
  work: (client: Client, faults: Error[], engine: Engine) => Promise<void>,
): Promise<void> {
  await withEngine({ app }, async (engine) => {
    const client = new Client({ name: 'editor', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    const faults: Error[] = [];
    client.onerror = (error) => void faults.push(error);
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { decision: 'approve' } }));
    const env = environment({ TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: engine.taskQueue, HOLDFAST_HOME: HOME });
    const command = { command: process.execPath, args: [MAIN, 'mcp', 'serve', ...args] };
    await client.connect(new StdioClientTransport({ ...command, env: env as Record<string, string>, stderr: 'ignore' }));
    try {
      await work(client, faults, engine);
    } finally {
      await client.close();
    }
  });
}

describe('holdfast mcp serve', () => {
  it('serves tools to the client that started it; what the app prints does not disturb it', () =>
    connected(['--app', NOISY, '--by', 'ed'], async (client, faults, engine) => {
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
      expect(await engine.client.turn(id).status()).toMatchObject({ requester: 'ed', calls: [{ approval: { by: ['ed'] } }] });
      expect(faults).toEqual([]);
    }));

  it('serves the prompts of its own app file, to the name that it was started under', () =>
    connected(['--app', NOISY, '--by', 'ed', '--agent', 'tester'], async (client, faults) => {
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'brief' }]);
      const { messages } = await client.getPrompt({ name: 'brief' });
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'ed, tester' } }]);
      expect(faults).toEqual([]);
    }));

  it('refuses an agent that does not exist, with nothing on standard output', async () => {
    const { code, stdout, stderr } = await run(
      ['mcp', 'serve', '--app', APP, '--agent', 'nobody'],
      environment({ HOLDFAST_HOME: HOME }),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no agent "nobody"');
  });
});
