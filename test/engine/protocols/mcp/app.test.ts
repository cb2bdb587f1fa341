import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@modelcontextprotocol/sdk/client/index.js';
import { LoggingMessageNotificationSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { McpDefinition } from '../../../../src/agents/mcp';
import { askPerson } from '../../../../src/tools/people/ask-person';
import { person } from '../../../support/gateway';
import { ask, say } from '../../../support/scripted-model';
import { textOf, withMcp } from '../../support/mcp';
import { pays, reads } from '../../../support/tools';

const stan = person('acme/stan', 'starter');
const sue = person('acme/sue', 'starter');
const ada = person('globex/ada', 'starter', 'approver');
const people = [stan, sue, ada];

/** The log messages that a client receives, from this level on. */
async function logsOf(client: Client, level: 'debug' | 'info' | 'error' | null): Promise<unknown[]> {
  const told: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void told.push(params));
  if (level !== null) await client.setLoggingLevel(level);
  return told;
}

describe('log messages of tools over HTTP', () => {
  const look = reads('look', async ({ key }, ctx) => {
    await sleep(200);
    ctx.log.debug({ key }, 'asks');
    ctx.log.info({ key, token: 'hunter2' }, 'looks');
    await sleep(100);
    if (key === 'bad') throw new Error('at home');
    return { key };
  });

  it('reach the client whose call it is, from its level on', () =>
    withMcp({ people, tools: [look], mcp: { toolLogs: true } }, async ({ connect }) => {
      const [stans, sues, silent] = [await connect(stan), await connect(sue), await connect(stan)];
      const [told, tooLittle, before] = [await logsOf(stans, 'info'), await logsOf(sues, 'error'), await logsOf(silent, null)];
      await stans.callTool({ name: 'look', arguments: { key: 'a' } });
      await Promise.all([sues, silent].map((client) => client.callTool({ name: 'look', arguments: { key: 'b' } })));
      expect(told).toEqual([{ level: 'info', logger: 'look', data: { key: 'a', token: '[redacted]', message: 'looks' } }]);
      expect([tooLittle, before]).toEqual([[], []]);
    }));

  it('are not in streams over HTTP, which others may read', () =>
    withMcp({ people, tools: [look], mcp: { toolLogs: true } }, async ({ client: holdfast, gateway }) => {
      const { turn } = await holdfast.call({ tool: 'look', agent: 'tester', input: { key: 'a' }, requester: 'acme/stan' });
      const streams = ['/v1/turns/ID/events', '/tools/look/sse?call=ID'].map(async (path) => {
        const url = `${gateway.url}${path.replace('ID', encodeURIComponent(turn.id))}`;
        return (await fetch(url, { headers: stan.headers })).text();
      });
      const types: string[] = [];
      for await (const { type } of turn.watch()) types.push(type);
      expect(types).toContain('tool_log');
      for (const told of await Promise.all(streams)) {
        expect(told).toMatch(/event: (turn_completed|tool_result)/);
        expect(told).not.toContain('tool_log');
        expect(told).not.toContain('looks');
      }
    }));

  it('do not contain an exception of the tool: its stack is for the operator', () =>
    withMcp({ people, tools: [look], mcp: { toolLogs: true } }, async ({ connect }) => {
      const client = await connect(stan);
      const told = await logsOf(client, 'debug');
      await client.callTool({ name: 'look', arguments: { key: 'bad' } });
      expect(told.map((line: any) => line.data.message)).toEqual(['asks', 'looks']);
    }));

  it('are not sent unless the app says so', () =>
    withMcp({ people, tools: [look] }, async ({ connect }) => {
      const client = await connect(stan);
      expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
      await expect(client.setLoggingLevel('debug')).rejects.toThrow();
      const told = await logsOf(client, null);
      await client.callTool({ name: 'look', arguments: {} });
      expect(told).toEqual([]);
    }));
});

describe('what the app offers over HTTP', () => {
  const mcp: McpDefinition = {
    prompts: [
      {
        name: 'ours',
        description: 'Of acme.',
        visibleTo: ({ tenant }) => tenant === 'acme',
        messages: (_given, { principal }) => principal,
      },
      { name: 'of_one', description: 'Of one agent.', visibleTo: ({ agent }) => agent === 'tester', messages: () => 'One.' },
    ],
    resources: [{ uri: 'handbook://terms', name: 'terms', mimeType: 'text/plain', read: ({ tenant }) => `Terms of ${tenant}.` }],
  };

  it('is each tenant’s and each connection’s own', () =>
    withMcp({ people, tools: [reads('look', () => 1)], mcp }, async ({ connect, post }) => {
      const [stans, adas, ofOne] = [await connect(stan), await connect(ada), await connect(stan, { agent: 'tester' })];
      const names = async (client: Client) => (await client.listPrompts()).prompts.map(({ name }) => name);
      expect([await names(stans), await names(adas), await names(ofOne)]).toEqual([['ours'], [], ['ours', 'of_one']]);
      expect((await stans.getPrompt({ name: 'ours' })).messages).toMatchObject([{ content: { text: 'acme/stan' } }]);
      await expect(adas.getPrompt({ name: 'ours' })).rejects.toMatchObject({ code: -32602 });
      const read = async (client: Client) => (await client.readResource({ uri: 'handbook://terms' })).contents;
      expect([await read(stans), await read(adas)]).toMatchObject([[{ text: 'Terms of acme.' }], [{ text: 'Terms of globex.' }]]);
      const unknown = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'handbook://terms' } };
      expect((await post(unknown, {})).status).toBe(401);
    }));
});

describe('what the client gives before a call', () => {
  it('is part of the input that is approved, run and recorded', () => {
    const effects: any[] = [];
    const mcp: McpDefinition = { forms: { pay: { message: 'Which invoice?', fields: ['invoice'] } } };
    const asked: string[] = [];
    const answers = async (message: string): Promise<ElicitResult> => {
      asked.push(message.split('\n')[0]!);
      if (message === 'Which invoice?') return { action: 'accept', content: { invoice: 'INV-9', cents: 1 } };
      expect(message).toContain('INV-9');
      return { action: 'accept', content: { decision: 'approve' } };
    };
    return withMcp({ people, tools: [pays('pay', effects)], mcp }, async ({ connect, client: holdfast }) => {
      const client = await connect(ada, { asked: answers });
      const result = await client.callTool({ name: 'pay', arguments: { cents: 700 } });
      expect({ asked, failed: result.isError }).toEqual({ asked: ['Which invoice?', 'Approve this call?'], failed: undefined });
      expect(effects).toMatchObject([{ invoice: 'INV-9', cents: 700 }]);
      const { id } = (result._meta as any)['holdfast/call'];
      expect(await holdfast.turn(id).result()).toMatchObject({ requester: 'globex/ada', calls: [{ effect: 'applied' }] });
      const declined = await (
        await connect(ada, { asked: async () => ({ action: 'decline' }) })
      ).callTool({ name: 'pay', arguments: { cents: 1 } });
      expect(JSON.parse(textOf(declined)).error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', reason: 'not_given' });
      expect(effects).toHaveLength(1);
    });
  });
});

describe('a question of the model', () => {
  const question = { question: 'From which account?', choices: ['operations', 'reserve'] };
  const setup = { people, tools: [askPerson()], script: [ask(['ask_person', question]), say('From the reserve.')] };

  it('is put to the user of the client by a form, and the answer is recorded with the name of who answered', () =>
    withMcp(setup, async ({ connect, client: holdfast }) => {
      const asked: string[] = [];
      const client = await connect(stan, {
        asked: async (message): Promise<ElicitResult> => (
          asked.push(message),
          { action: 'accept', content: { answer: 'reserve' } }
        ),
      });
      const result = await client.callTool({ name: 'ask_tester', arguments: { message: 'Pay the rent.' } });
      expect(result).toMatchObject({ structuredContent: { state: 'completed', text: 'From the reserve.' } });
      expect(asked).toEqual([expect.stringContaining('From which account?')]);
      const { turn_id } = result.structuredContent as { turn_id: string };
      expect((await holdfast.turn(turn_id).status()).calls[0]!.approval).toMatchObject({
        by: ['acme/stan'],
        decisions: [{ decision: 'answer', by: 'acme/stan', attested: true }],
      });
    }));

  it('goes on waiting if the form is closed, or the client has none', () =>
    withMcp({ ...setup, script: [setup.script[0]!, setup.script[0]!] }, async ({ connect, client: holdfast }) => {
      for (const options of [{ asked: async (): Promise<ElicitResult> => ({ action: 'cancel' }) }, {}]) {
        const client = await connect(stan, options);
        const result = await client.callTool({ name: 'ask_tester', arguments: { message: 'Pay the rent.' } });
        expect(result.isError).toBe(true);
        expect(textOf(result)).toContain('The agent has asked a person a question, and waits for the answer.');
      }
      const own = { state: 'awaiting_answer' as const, sight: { requester: stan.entry.principal } };
      for await (const { turn_id } of holdfast.list(own)) await holdfast.turn(turn_id).cancel();
    }));
});
