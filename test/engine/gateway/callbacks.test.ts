import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { loadConfig } from '../../../src/config';
import { gatewayApp } from '../../../src/gateway/app';
import { CallbackNotAllowed, callbackSender, signature } from '../../../src/notify/webhook';
import { callbackHost } from '../../../src/shared/wire/callback';
import { eventually, withEngine } from '../support/engine';
import { keepForReplay } from '../support/replays';
import { gatewayParts, person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { afterTurns } from '../support/sessions';
import { withAgents } from '../support/sub-agents';
import { pays } from '../../support/tools';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const settings = (hosts: string) =>
  loadConfig({ HOLDFAST_CALLBACK_HOSTS: hosts, HOLDFAST_CALLBACK_SECRET: secret }).http.callbacks!;

interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  url: string;
}

async function receiver(
  answer: () => number,
  more: Record<string, string> = {},
): Promise<{ server: Server; port: number; got: Received[] }> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const status = answer();
      if (status < 300) got.push({ headers: request.headers, text, url: request.url ?? '' });
      response.writeHead(status, more).end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, got };
}

const message = { type: 'turn.ended', timestamp: '2026-01-01T00:00:00.000Z', turn: {} } as never;

describe('the addresses of callbacks', () => {
  it('are allowed by name, port and scheme, and no other address is accepted', () => {
    const { hosts } = settings('hooks.example,hooks.example:8443,http://plain.example,[2001:db8::1]');
    const fine = [
      'https://hooks.example/x?y=1',
      'https://hooks.example:443/',
      'https://HOOKS.example/',
      'https://hooks.example:8443/',
      'http://plain.example/',
      'https://plain.example/',
      'https://[2001:db8:0::1]/',
    ];
    for (const url of fine)
      expect({ url, host: callbackHost(url, hosts) }).toEqual({
        url,
        host: expect.objectContaining({ hostname: expect.any(String) }),
      });
    const refused = [
      'http://hooks.example/',
      'https://hooks.example:8444/',
      'https://hooks.example.evil.example/',
      'https://evil.example/hooks.example',
      'https://hooks.example@evil.example/',
      'https://evil.example#@hooks.example/',
      'https://evil.example\\@hooks.example/',
      'https://user:pass@hooks.example/',
      'https://hooks.example./',
      'https://sub.hooks.example/',
      'https://hooks.example%2eevil.example/',
      'https://hooks.example\r\nHost: evil.example/',
      'https://ｈooks.example.evil/',
      'file:///etc/passwd',
      'gopher://hooks.example/',
      'javascript:alert(1)',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://127.1/',
      'https://0/',
      'https://169.254.169.254/latest/meta-data/',
      'https://metadata.google.internal/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[fd00::1]/',
      'https://10.0.0.1/',
      '',
      'hooks.example',
      '//hooks.example/',
      `https://hooks.example/${'x'.repeat(2000)}`,
    ];
    for (const url of refused) expect({ url, why: callbackHost(url, hosts) }).toEqual({ url, why: expect.any(String) });
    for (const wrong of [
      '*',
      '*.example',
      'https://hooks.example/path',
      'Hooks.example',
      'user@hooks.example',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      'a b',
      '',
    ])
      expect(() => settings(`${wrong},x.example`)).toThrow(/HOLDFAST_CALLBACK_HOSTS/);
  });

  it('are checked again by the IP address of the connection, whatever the name resolved to before', async () => {
    const { server, port, got } = await receiver(() => 200);
    const tried = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:7f00:1]',
      '0.0.0.0',
      '10.255.255.1',
      '192.168.255.1',
      '172.16.255.1',
      '169.254.169.254',
      '100.64.0.1',
      '[fd00::1]',
      '[fe80::1]',
      '[::]',
      '[64:ff9b::7f00:1]',
      '198.18.0.1',
    ];
    const sender = callbackSender({ ...settings(tried.map((host) => `http://${host}:${port}`).join(',')), timeoutMs: 5000 });
    for (const host of tried) {
      const sent = sender.send(`http://${host}:${port}/`, 'cb_1', message);
      await expect(sent).rejects.toThrow(/^\S+ did not answer: it is not a public address$/);
    }
    expect(got).toEqual([]);
    await expect(sender.send('http://elsewhere.example/', 'cb_1', message)).rejects.toThrow(CallbackNotAllowed);
    const allowed = callbackSender(settings(`http://127.0.0.1:${port}+private`));
    await allowed.send(`http://127.0.0.1:${port}/hook`, 'cb_1', message);
    expect(got).toHaveLength(1);
    server.close();
  });

  it('are not changed by a redirect', async () => {
    const target = await receiver(() => 200);
    const { server, port } = await receiver(() => 307, { location: `http://127.0.0.1:${target.port}/` });
    const sender = callbackSender(settings(`http://127.0.0.1:${port}+private,http://127.0.0.1:${target.port}+private`));
    await expect(sender.send(`http://127.0.0.1:${port}/`, 'cb_1', message)).rejects.toThrow('answered 307');
    expect(target.got).toEqual([]);
    server.close();
    target.server.close();
  });
});

describe('a turn with a callback', () => {
  const rita = person('rita', 'starter');
  const invoice = { invoice: 'INV-7', cents: 700 };

  it('sends signed callbacks about its question and its end until each is taken; it waits for neither, and its history has no address', async () => {
    let refusals = 2;
    const { server, port, got } = await receiver(() => (refusals-- > 0 ? 503 : 204));
    const callbacks = settings(`http://127.0.0.1:${port}+private`);
    const effects: unknown[] = [];
    const setup = {
      tools: [pays('pay', effects)],
      script: [ask(['pay', invoice]), say('all done')],
      settings: { callbacks: callbackSender(callbacks), pageUrl: 'https://desk.bank.example/hf' },
    };
    try {
      await withEngine(setup, async ({ client, store }) => {
        const app = gatewayApp(gatewayParts({ people: [rita], store, callbacks, client: async () => client }));
        const post = (callback_url: string) =>
          app.inject({
            method: 'POST',
            url: '/v1/turns',
            headers: rita.headers,
            payload: { agent: 'tester', message: 'Pay.', callback_url },
          });
        const refused = await post('https://evil.example/');
        expect(refused.json()).toMatchObject({ error: { reason: 'callback_not_allowed' } });
        expect(refused.statusCode).toBe(400);
        const started = await post(`http://127.0.0.1:${port}/hook?key=s3cr3t`);
        expect(started.statusCode).toBe(202);
        const turn = client.turn(started.json().turn_id);
        const [{ digest }] = await turn.waitForPending();
        await eventually('the question is told of', async () => got.length === 1);
        await turn.approve(digest, { by: 'ana' });
        expect((await turn.result()).state).toBe('completed');
        await eventually('the end is told of', async () => got.length === 2);
        expect(got.map(({ url }) => url)).toEqual(['/hook?key=s3cr3t', '/hook?key=s3cr3t']);
        for (const { headers, text } of got) {
          const id = headers['webhook-id'] as string;
          expect(id).toMatch(/^cb_[0-9a-f]{32}$/);
          expect(headers['webhook-signature']).toBe(signature(secret, id, headers['webhook-timestamp'] as string, text));
        }
        const [question, end] = got.map(({ text }) => JSON.parse(text));
        expect(question).toMatchObject({
          type: 'approval.requested',
          turn: {
            turn_id: turn.id,
            state: 'awaiting_approval',
            pending: [digest],
            calls: [{ tool: 'pay', digest, state: 'waiting' }],
          },
          card: {
            kind: 'approval',
            tool: 'pay',
            digest,
            input: invoice,
            requester: 'rita',
            words: [{ from: 'requester', by: 'rita', text: 'Pay.', cut: false }],
            untrusted: false,
            reason: 'class destructive always asks',
            policy: { quorum: 1 },
            expires_at: expect.any(String),
          },
          link: `https://desk.bank.example/hf/#/turns/${turn.id}/calls/${digest}`,
        });
        expect(question.card).not.toHaveProperty('markdown');
        expect(end).toMatchObject({
          type: 'turn.ended',
          card: null,
          link: `https://desk.bank.example/hf/#/turns/${turn.id}`,
          turn: { state: 'completed', text: 'all done', calls: [{ effect: 'applied' }] },
        });
        expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
        const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        const payloads = JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_all, data: string) =>
          Buffer.from(data, 'base64').toString(),
        );
        expect(payloads).toContain('callback_ref');
        expect(payloads).not.toContain('s3cr3t');
        await app.close();
      });
    } finally {
      server.close();
    }
  });

  it('can be any turn of a session, each message with an address of its own or none', async () => {
    const { server, port, got } = await receiver(() => 204);
    const callbacks = settings(`http://127.0.0.1:${port}+private`);
    const setup = { script: [say('one'), say('two'), say('three')], settings: { callbacks: callbackSender(callbacks) } };
    try {
      await withEngine(setup, async ({ client, store }) => {
        const app = gatewayApp(gatewayParts({ people: [rita], store, callbacks, client: async () => client }));
        const post = async (url: string, payload: object) => {
          const answer = await app.inject({ method: 'POST', url, headers: rita.headers, payload });
          return { status: answer.statusCode, body: answer.json() };
        };
        const { session_id } = (await post('/v1/sessions', { agent: 'tester' })).body;
        const messages = `/v1/sessions/${session_id}/messages`;
        expect(await post(messages, { message: 'One.', callback_url: 'https://evil.example/' })).toMatchObject({
          status: 400,
          body: { error: { reason: 'callback_not_allowed' } },
        });
        const hook = (path: string) => `http://127.0.0.1:${port}/${path}?key=s3cr3t`;
        expect((await post(messages, { message: 'One.', callback_url: hook('one') })).status).toBe(202);
        expect((await post(messages, { message: 'Two.' })).status).toBe(202);
        const third = { agent: 'tester', session_id, message: 'Three.', callback_url: hook('three') };
        expect((await post('/v1/turns', third)).status).toBe(202);
        await afterTurns(client.session(session_id), 3);
        await eventually('both ends are told of', async () => got.length >= 2);
        const told = got.map(({ url, text }) => ({ url, turn: JSON.parse(text).turn }));
        expect(told.sort((a, b) => a.turn.turn_id.localeCompare(b.turn.turn_id))).toMatchObject([
          { url: '/one?key=s3cr3t', turn: { turn_id: `${session_id}.1`, session_id, text: 'one' } },
          { url: '/three?key=s3cr3t', turn: { turn_id: `${session_id}.3`, session_id, text: 'three' } },
        ]);
        const history = await client.temporal.workflow.getHandle(`session/${session_id}`).fetchHistory();
        const texts = JSON.stringify(history)
          .match(/"data":"[^"]*"/g)!
          .map((data) => Buffer.from(data.slice(8, -1), 'base64').toString());
        expect(texts.join()).toContain('callback_ref');
        expect(texts.join()).not.toContain('s3cr3t');
        await app.close();
      });
    } finally {
      server.close();
    }
  });

  it('sends one callback about a question of its sub-agent, as about its own', async () => {
    const { server, port, got } = await receiver(() => 204);
    const callbacks = settings(`http://127.0.0.1:${port}+private`);
    const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools: [pays('pay', [])] });
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [agentTool(payer, { description: 'Pays.' })] });
    const scripts = {
      'Lead.': [ask(['payer', { task: 'Pay it.' }]), say('done')],
      'Pay it.': [ask(['pay', invoice], ['pay', { ...invoice, cents: 800 }]), say('paid')],
    };
    try {
      const body: Parameters<typeof withAgents>[2] = async ({ client, store }) => {
        const app = gatewayApp(gatewayParts({ people: [rita], store, callbacks, client: async () => client }));
        const payload = { agent: 'lead', message: 'Lead.', callback_url: `http://127.0.0.1:${port}/` };
        const { turn_id } = (await app.inject({ method: 'POST', url: '/v1/turns', headers: rita.headers, payload })).json();
        const turn = client.turn(turn_id);
        const told = () => got.map(({ text }) => JSON.parse(text)).filter(({ type }) => type === 'approval.requested');
        await eventually('both questions are told of', async () => told().length >= 2);
        const digests = (await turn.pending()).map(({ digest }) => digest).sort();
        const of = { turn_id: `${turn_id}~1.1`, agent: 'payer' };
        // Callbacks arrive in any order, and so do the questions: the one that was sent last knows both.
        const { pending, calls, ...last } = told().find(({ turn: { pending } }) => pending.length === 2).turn;
        expect(last).toMatchObject({ turn_id, state: 'awaiting_approval' });
        expect([...pending].sort()).toEqual(digests);
        const byDigest = [...calls].sort((a, b) => (a.digest < b.digest ? -1 : 1));
        expect(byDigest).toMatchObject(digests.map((digest) => ({ tool: 'pay', digest, state: 'waiting', of })));
        const cards = told().map(({ card }) => card); // in any order
        expect(cards.map(({ digest }) => digest).sort()).toEqual(digests);
        expect(cards.find(({ input }) => input.cents === 800)).toMatchObject({
          agent: 'payer',
          input: { cents: 800 },
          untrusted: false,
          words: [
            { from: 'requester', by: 'rita', text: 'Lead.' },
            { from: 'agent', by: 'lead', text: 'Pay it.' },
          ],
        });
        expect(told()[0].link).toBeNull();
        await turn.approve(digests, { by: 'ana' });
        expect((await turn.result()).state).toBe('completed');
        await eventually('the end is told of', async () => got.length >= 3);
        expect(got.map(({ text }) => JSON.parse(text).type)).toEqual(['approval.requested', 'approval.requested', 'turn.ended']);
        await keepForReplay(client.temporal, turn);
        await app.close();
      };
      await withAgents([lead], scripts, body, { settings: { callbacks: callbackSender(callbacks) } });
    } finally {
      server.close();
    }
  });

  it('ends although nobody takes its callbacks', async () => {
    const callbacks = settings('http://127.0.0.1:1+private');
    await withEngine({ script: [say('done')], settings: { callbacks: callbackSender(callbacks) } }, async ({ client, store }) => {
      const app = gatewayApp(gatewayParts({ people: [rita], store, callbacks, client: async () => client }));
      const payload = { agent: 'tester', message: 'Hi.', callback_url: 'http://127.0.0.1:1/' };
      const { turn_id } = (await app.inject({ method: 'POST', url: '/v1/turns', headers: rita.headers, payload })).json();
      expect((await client.turn(turn_id).result()).state).toBe('completed');
      await app.close();
    });
  });
});
