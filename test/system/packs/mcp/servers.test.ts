/** Turns with tools of an MCP server: what a server can do to them, and what it cannot. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { serveGateway } from '../../../../src/gateway/serve';
import { catalogueOf } from '../../../../src/gateway/tool-catalogue';
import { walk } from '../../../../src/store/core/transcript';
import type { JsonObject } from '../../../../src/shared/json/json';
import { eventually } from '../../../engine/support/engine';
import { hostPid } from '../../../support/host-pid';
import { gatewayParts, person } from '../../../support/gateway';
import { ask, results, say } from '../../../support/scripted-model';
import { withMcp, withServers, type McpEngine } from '../../../engine/support/packs/mcp/mcp-engine';

const SCRIPT = join(__dirname, '../../../support/packs/mcp/fixtures/odd-server.mjs');

let file: string;
beforeEach(() => (file = join(tmpdir(), `holdfast-odd-${randomBytes(6).toString('hex')}`)));
afterEach(() => [file, `${file}.changed`].forEach((path) => rmSync(path, { force: true })));

const odd = (env: Record<string, string> = {}) => ({
  odd: { command: process.execPath, args: [SCRIPT], env: { LEDGER: file, CHANGED: `${file}.changed`, ...env } },
});
const done = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean);
const change = () => writeFileSync(`${file}.changed`, '');
/** The server's process writes who it is before it falls silent. */
const hangs = (what: string) => eventually(`${what} hangs`, async () => done().find((line) => line.startsWith(`${what} `)));
const kill = (line: string) => {
  const [, pid, namespace] = line.split(' ');
  process.kill(hostPid(Number(pid), namespace!), 'SIGKILL');
};
const answer = (engine: McpEngine, request = 1) => results(engine.model.requests[request]!)[0]!;

const context = (progress: (...said: unknown[]) => void = () => undefined) => ({
  signal: new AbortController().signal,
  idempotencyKey: 'k',
  progress,
  network: (work: () => unknown) => work(),
});

async function approved(engine: McpEngine): Promise<JsonObject> {
  const turn = await engine.start();
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
  const { state } = await turn.result();
  const { calls } = await turn.status();
  return { state, ...(calls[0] as unknown as JsonObject) };
}

describe('a turn with an MCP server', () => {
  it('sends the server none of its own defaults that do not fit', () =>
    withMcp(
      { servers: odd(), accept: { odd: { look_again: 'read' } }, script: [ask(['odd__look_again', {}]), say('done')] },
      async (engine) => {
        await (await engine.start()).result();
        expect(answer(engine)).toMatchObject({ isError: false, body: { data: { text: 'given {}' } } });
      },
    ));

  it('has its tools, and runs a tool without a question that a person has accepted as a read', () =>
    withMcp(
      { servers: odd(), accept: { odd: { look: 'read' } }, script: [ask(['odd__look', { q: 'x' }]), say('done')] },
      async (engine) => {
        const turn = await engine.start();
        expect((await turn.result()).state).toBe('completed');
        expect(answer(engine)).toMatchObject({ isError: false, body: { data: { text: 'seen x' } } });
        expect(engine.model.requests[0]!.tools.map(({ name }) => name)).toContain('odd__pay');
      },
    ));

  it('asks a person about every tool that nobody has accepted, with any hints', () =>
    withMcp({ servers: odd(), script: [ask(['odd__look', { q: 'x' }]), say('done')] }, async (engine) => {
      expect(await approved(engine)).toMatchObject({ class: 'destructive', state: 'succeeded', effect: 'applied' });
    }));

  it('calls a tool by its own name, also where the model knows it under another', () =>
    withServers({ servers: odd(), accept: { odd: { 'with.dots/and spaces': 'read' } } }, async ({ outside }) => {
      const { tools } = await outside.offered(['odd']);
      expect(tools.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^odd__with_dots_and_spaces_[0-9a-f]{8}$/));
    }));

  it('keeps a result of any size by reference', () =>
    withMcp(
      { servers: odd(), accept: { odd: { big: 'read' } }, script: [ask(['odd__big', { characters: 2_000_000 }]), say('done')] },
      async (engine) => {
        await (await engine.start()).result();
        expect(answer(engine).body.data).toMatchObject({ ref: expect.any(String), bytes: expect.any(Number) });
        expect(answer(engine).body.data.bytes).toBeGreaterThan(2_000_000);
      },
    ));

  it('keeps pictures, sound and resources beside the result, and odd blocks as what they are', () =>
    withMcp(
      { servers: odd(), accept: { odd: { odd_blocks: 'read' } }, script: [ask(['odd__odd_blocks', {}]), say('done')] },
      async (engine) => {
        await (await engine.start()).result();
        const { content } = answer(engine).body.data;
        expect(content.map(({ type }: JsonObject) => type)).toEqual([
          'image',
          'audio',
          'resource',
          'resource',
          'resource_link',
          'hologram',
          'text',
        ]);
        expect(content[0].file).toMatchObject({ content_type: 'application/octet-stream', size: 6 });
        expect(content[1].file).toMatchObject({ filename: 'audio.wav', content_type: 'audio/wav', size: 5 });
        expect(content[3].file).toMatchObject({ filename: 'data.bin', content_type: 'application/x-odd' });
        expect(content[4]).toEqual({
          type: 'resource_link',
          uri: 'https://example.org/a',
          name: 'a link',
          mime_type: 'text/plain',
        });
        expect(content[6].text).toBe('half a character: \ufffd');
      },
    ));

  it('reports a failure that the tool itself reports, and holds structured results to their schema', () =>
    withMcp(
      {
        servers: odd(),
        accept: { odd: { fail: 'read', structured: 'read' } },
        script: [
          ask(['odd__fail', {}], ['odd__structured', { right: true }], ['odd__structured', { right: false }]),
          say('done'),
        ],
      },
      async (engine) => {
        await (await engine.start()).result();
        const [failed, right, wrong] = results(engine.model.requests[1]!);
        expect(failed).toMatchObject({
          isError: true,
          body: { error: { code: 'EXECUTION_ERROR', reason: 'tool_failed', message: 'no such account' } },
        });
        expect(right!.body.data).toEqual({ structured: { n: 7 } });
        expect(wrong!.body.error).toMatchObject({ reason: 'output_mismatch' });
      },
    ));

  it('shows the progress that the server reports', () =>
    withServers({ servers: odd(), accept: { odd: { steps: 'read' } } }, async ({ outside }) => {
      const { tools } = await outside.offered(['odd']);
      const tool = tools.find(({ name }) => name === 'odd__steps')!;
      const told: unknown[] = [];
      const ctx = context((...said) => told.push(said));
      expect(await tool.run({}, ctx as never)).toEqual({ text: 'all steps' });
      expect(told).toEqual([
        ['step 1', 1 / 3],
        ['step 2', 2 / 3],
        ['step 3', 1],
      ]);
    }));
});

describe('a server that dies in the middle of a call', () => {
  it('leaves a destructive call in doubt, which is not repeated', () =>
    withMcp({ servers: odd(), script: [ask(['odd__hang_and_pay', {}]), say('done')] }, async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      kill(await hangs('hang_and_pay'));
      const doubted = await eventually('it is in doubt', async () =>
        (await turn.pending()).find(({ state }) => state === 'in_doubt'),
      );
      expect(doubted.error).toMatchObject({ code: 'NETWORK_ERROR', reason: 'server_gone' });
      await turn.settle(doubted.digest, 'applied', { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
      expect(done()).toHaveLength(1);
    }));

  it('is NETWORK_ERROR for a read, which is tried again over a new connection', () =>
    withMcp(
      { servers: odd(), accept: { odd: { hang: 'read' } }, script: [ask(['odd__hang', {}]), say('done')] },
      async (engine) => {
        const turn = await engine.start();
        for (let death = 1; death <= 4; death++) {
          const lines = await eventually(`attempt ${death}`, async () => done().length === death && done());
          kill(lines.at(-1)!);
        }
        expect((await turn.result()).state).toBe('completed');
        expect(answer(engine).body.error).toMatchObject({ code: 'NETWORK_ERROR', reason: 'server_gone' });
      },
    ));
});

describe('the definition that a turn is pinned to', () => {
  it('stands in its start block, and another worker knows it without the server', () =>
    withMcp(
      { servers: odd(), accept: { odd: { look: 'read' } }, script: [say('done')] },
      async ({ start, store, another, outside }) => {
        const turn = await start();
        await turn.result();
        const [begin] = await walk(store, (await turn.status()).head);
        const { tools } = (begin!.bodies[0] as any).outside as { tools: string[] };
        const [name, version] = tools.find((id) => id.startsWith('odd__look@'))!.split('@') as [string, string];
        await outside.close();
        change();
        expect(await another().pinned(['odd'], name, version)).toMatchObject({
          name: 'odd__look',
          version,
          class: 'read',
          description: 'Looks.',
        });
        expect(await another().pinned(['other'], name, version)).toBeUndefined();
        expect(await another().pinned(['odd'], 'odd__pay', version)).toBeUndefined();
      },
    ));

  it('is known to a worker that was started in the middle of the turn', () =>
    withMcp(
      {
        servers: odd(),
        accept: { odd: { look: 'read' } },
        agent: { catalogue: { mode: 'find', visible: 2 } },
        script: [
          ask(['odd__pay', { cents: 5 }]),
          ask(['find_tools', { query: 'looks' }]),
          ask(['odd__look', { q: 'y' }]),
          say('done'),
        ],
      },
      async (engine) => {
        const turn = await engine.start('Pays what is due.');
        const [call] = await turn.waitForPending();
        await engine.restarted();
        await turn.approve(call.digest, { by: 'ana' });
        expect((await turn.result()).state).toBe('completed');
        expect(done()).toEqual(['pay 5']);
        expect(answer(engine, 2).body.data.tools[0]).toMatchObject({ name: 'odd__look', class: 'read', group: 'odd' });
        expect(answer(engine, 3).body.data.text).toBe('seen y');
      },
    ));

  it('keeps its class for the turn only until the class is withdrawn', () =>
    withMcp(
      {
        servers: odd(),
        accept: { odd: { look: 'read' } },
        script: [ask(['odd__pay', { cents: 5 }]), ask(['odd__look', {}]), say('done')],
      },
      async (engine) => {
        const turn = await engine.start();
        const [call] = await turn.waitForPending();
        rmSync(join(engine.folder, 'mcp.accepted.json'));
        await turn.approve(call.digest, { by: 'ana' });
        await turn.result();
        expect(answer(engine, 2).body.error).toMatchObject({ code: 'PERMISSION_DENIED', reason: 'class_withdrawn' });
      },
    ));

  it('serves direct calls too, through the same admission', () =>
    withMcp({ servers: odd(), accept: { odd: { look: 'read' } }, script: [] }, async ({ call }) => {
      const direct = await call('odd__look', { q: 'z' });
      expect(await direct.result()).toMatchObject({ success: true, data: { text: 'seen z' } });
      const unknown = await call('odd__nothing', {});
      expect(await unknown.result()).toMatchObject({ success: false, error: { code: 'TOOL_NOT_FOUND' } });
    }));

  it('serves direct calls over HTTP, though the gateway lists only the tools that it knows itself', () =>
    withMcp({ servers: odd(), accept: { odd: { look: 'read' } }, script: [] }, async ({ store, client }) => {
      const ina = person('ina', 'starter');
      const app = defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [], mcpServers: ['odd'] })] });
      const connected = { store, client: async () => client, catalogue: async () => catalogueOf(app) };
      const gateway = await serveGateway(gatewayParts({ people: [ina], ...connected }), { host: '127.0.0.1', port: 0 });
      const post = (tool: string) =>
        fetch(`${gateway.url}/tools/${tool}`, {
          method: 'POST',
          headers: { ...ina.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ input: { q: 'h' } }),
        });
      try {
        const answered = await post('odd__look');
        expect([answered.status, await answered.json()]).toMatchObject([200, { data: { text: 'seen h' } }]);
        for (const unknown of ['odd__nothing', 'other__look', 'nothing']) {
          const refused = await post(unknown);
          expect([refused.status, await refused.json()]).toMatchObject([404, { error: { code: 'TOOL_NOT_FOUND' } }]);
        }
      } finally {
        await gateway.close();
      }
    }));

  it('is refused once the server has changed it: the approved call would be another', () =>
    withMcp({ servers: odd(), script: [ask(['odd__pay', { cents: 5 }]), say('done')] }, async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      change();
      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      expect((await turn.status()).calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
      expect(answer(engine).body.error).toMatchObject({ code: 'TOOL_NOT_FOUND', reason: 'tool_changed' });
      expect(done()).toEqual([]);
    }));

  it('makes the next turn ask again about a tool whose definition has changed since it was accepted', () =>
    withMcp(
      {
        servers: odd(),
        accept: { odd: { look: 'read' } },
        script: [ask(['odd__look', {}]), say('1'), ask(['odd__look', {}]), say('2')],
      },
      async (engine) => {
        expect((await (await engine.start()).result()).text).toBe('1');
        change();
        const turn = await engine.start();
        const [call] = await turn.waitForPending();
        expect(call).toMatchObject({ tool: 'odd__look', class: 'destructive' });
        await turn.deny(call.digest, { by: 'ana' });
        await turn.result();
      },
    ));

  it('is refused to a read too, once the server has announced a change; the next turn has the new tools, with nothing restarted', () =>
    withMcp(
      {
        servers: odd(),
        accept: { odd: { look: 'read', change: 'read' } },
        script: [
          ask(['odd__look', {}]),
          ask(['odd__change', {}]),
          ask(['odd__look', {}], ['odd__newcomer', {}]),
          say('1'),
          ask(['odd__newcomer', {}]),
          say('2'),
        ],
      },
      async (engine) => {
        expect((await (await engine.start()).result()).text).toBe('1');
        expect(answer(engine, 1).isError).toBe(false);
        const [look, newcomer] = results(engine.model.requests[3]!);
        expect(look!.body.error).toMatchObject({ code: 'TOOL_NOT_FOUND', reason: 'tool_changed' });
        expect(newcomer!.body.error).toMatchObject({ code: 'TOOL_NOT_FOUND' }); // not in this turn's catalogue
        const turn = await engine.start();
        const [call] = await turn.waitForPending();
        expect(call).toMatchObject({ tool: 'odd__newcomer', class: 'destructive' });
        await turn.approve(call.digest, { by: 'ana' });
        expect((await turn.result()).text).toBe('2');
        expect(answer(engine, 5).body.data.text).toBe('at your service');
      },
    ));

  it('cannot be forged: a definition that no worker has sealed does not count', () =>
    withServers({ servers: odd() }, async ({ store, another }) => {
      const definition = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } };
      const ref = await store.putPart('mcp', {
        v: 'holdfast.mcp_tool/1',
        server: 'odd',
        class: 'read',
        definition,
        seal: 'a'.repeat(64),
      });
      expect(await another().pinned(['odd'], 'odd__pay', `0.0.0-h${ref}`)).toBeUndefined();
      expect(await another().pinned(['odd'], 'odd__pay', `0.0.0-h${'0'.repeat(64)}`)).toBeUndefined();
    }));
});

describe('a hostile server', () => {
  it('hides no honest tool behind unusable ones, and none of the unusable ones is offered', () =>
    withServers({ servers: odd({ ODD: '1' }) }, async ({ outside, told }) => {
      const { tools } = await outside.offered(['odd']);
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['odd__look', 'odd__pay', 'odd__hidden', 'odd__slow_pattern', 'odd__liar']));
      for (const name of ['remote_ref', 'no_object', 'approves', 'huge', 'deep', 'task_only'])
        expect(names).not.toContain(`odd__${name}`);
      expect(tools.find(({ name }) => name === 'odd__look')!.description).toBe('Looks.');
      expect(tools.find(({ name }) => name === 'odd__hidden')!.description).toContain('⟨U+202E⟩');
      expect(JSON.stringify(tools.find(({ name }) => name === 'odd__slow_pattern')!.input)).not.toContain('pattern');
      expect(tools.every((tool) => tool.class === 'destructive' && tool.egress && tool.untrustedOutput)).toBe(true);
      expect(told.said('a tool of an MCP server cannot be used').length).toBeGreaterThanOrEqual(9);
    }));

  it('cannot have a tool accepted in a milder class than the tool’s own hints say', () =>
    withServers({ servers: odd({ ODD: '1' }), accept: { odd: { liar: 'read', hidden: 'read' } } }, async ({ outside }) => {
      const { tools } = await outside.offered(['odd']);
      expect(tools.find(({ name }) => name === 'odd__liar')!.class).toBe('destructive');
      expect(tools.find(({ name }) => name === 'odd__hidden')!.class).toBe('read');
    }));

  it('gets only the variables of our environment that its entry names, and cannot put them into history', () =>
    withMcp(
      {
        servers: { odd: { ...odd().odd, env: { ...odd().odd.env, TOKEN: '${ODD_TOKEN}' } } },
        env: { ODD_TOKEN: 'a-very-secret-token' },
        accept: { odd: { leak: 'read' } },
        script: [ask(['odd__leak', {}]), say('done')],
      },
      async (engine) => {
        process.env.ANTHROPIC_API_KEY_OF_A_TEST = 'never';
        const turn = await engine.start();
        await turn.result();
        const { text } = answer(engine).body.data;
        expect(text).toMatch(/^\[key\] 19 /);
        expect(text).not.toContain('ANTHROPIC');
        const history = await engine.client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        expect(JSON.stringify(history)).not.toContain(Buffer.from('a-very-secret-token').toString('base64').slice(0, 20));
        expect(engine.told.text()).not.toContain('a-very-secret-token');
        delete process.env.ANTHROPIC_API_KEY_OF_A_TEST;
      },
    ));

  it('that never stops talking loses its connection, and the call fails', () =>
    withServers({ servers: odd() }, async ({ outside }) => {
      const { tools } = await outside.offered(['odd']);
      const tool = tools.find(({ name }) => name === 'odd__flood')!;
      await expect(tool.run({}, context() as never)).rejects.toMatchObject({
        detail: { code: 'NETWORK_ERROR' },
        nothingHappened: false,
      });
    }));

  it('that is not there leaves the turn without its tools, and the record says so', () =>
    withMcp(
      { servers: { gone: { command: '/nonexistent/server' } }, waitMs: 1000, script: [say('done')] },
      async ({ start, store, told }) => {
        const turn = await start();
        expect((await turn.result()).state).toBe('completed');
        const [begin] = await walk(store, (await turn.status()).head);
        expect((begin!.bodies[0] as any).outside).toEqual({ tools: [], missing: ['gone'] });
        expect(
          told.said('an MCP server did not list its tools: the turn begins with the last known list, if there is one'),
        ).toHaveLength(1);
      },
    ));
});
