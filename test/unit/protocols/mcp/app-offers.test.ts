import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import type { McpDefinition } from '../../../../src/agents/mcp';
import { Subscriptions } from '../../../../src/protocols/mcp/app-resources';
import type { ServerNotification } from '../../../../src/protocols/mcp/sdk';
import { createMcpEndpoint } from '../../../../src/protocols/mcp/server';
import { ToolLogs } from '../../../../src/protocols/mcp/progress';
import { createPrincipal } from '../../../../src/gateway/auth/principals';
import { silent } from '../../../support/silent';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

const mcp: McpDefinition = {
  prompts: [
    { name: 'plain', description: 'Says little.', messages: () => 'Say little.' },
    {
      name: 'letter',
      title: 'A letter',
      description: 'Writes a letter.',
      arguments: {
        to: {
          description: 'To whom',
          required: true,
          complete: (typed, { asker, given }) => [`${typed}-${asker.principal}-${given.tone ?? 'none'}`],
        },
        tone: {},
      },
      messages: ({ to, tone = 'plain' }, { principal, agent }) => [
        { role: 'user', content: { type: 'text', text: `${to}, ${tone}, ${principal}, ${agent}` } },
        { role: 'assistant', content: { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' } },
      ],
    },
    { name: 'ours', description: 'Of acme.', visibleTo: ({ tenant }) => tenant === 'acme', messages: () => 'Ours.' },
    { name: 'broken', description: 'Throws.', messages: () => { throw new Error('password=hunter2'); } }, // oxfmt-ignore
    { name: 'wrong', description: 'Gives what cannot be sent.', messages: () => [{ role: 'system' }] as never },
    { name: 'huge', description: 'Too much.', messages: () => 'x'.repeat(1_000_001) },
    {
      name: 'hidden',
      description: 'A check that waits shows nothing.',
      visibleTo: (async () => true) as never,
      messages: () => 'x',
    },
    { name: 'failing', description: 'A check that throws shows nothing.', visibleTo: () => { throw new Error('no'); }, messages: () => 'x' }, // oxfmt-ignore
  ],
  resources: [
    { uri: 'handbook://terms', name: 'terms', mimeType: 'text/plain', read: async () => 'Thirty days.' },
    { uri: 'handbook://logo', name: 'logo', description: 'Our logo.', mimeType: 'image/png', read: () => new Uint8Array(PNG) },
    {
      uri: 'handbook://ours',
      name: 'ours',
      mimeType: 'text/plain',
      visibleTo: ({ roles }) => roles.includes('admin'),
      read: () => 'O',
    },
    { uri: 'handbook://odd', name: 'odd', mimeType: 'text/plain', read: () => ({ text: 'x' }) as never },
  ],
  resourceTemplates: [
    {
      uriTemplate: 'invoice://{customer}/{id}',
      name: 'invoice',
      mimeType: 'application/json',
      complete: { id: () => Array.from({ length: 150 }, (_, index) => String(index)) },
      read: ({ customer, id }, { principal }) => (id === '0' ? null : JSON.stringify({ customer, id, principal })),
    },
  ],
};

async function connected(
  {
    by = 'acme/ada',
    roles = ['starter'],
    agent,
    offered = mcp,
  }: { by?: string; roles?: string[]; agent?: string; offered?: McpDefinition },
  body: (client: Client) => Promise<void>,
): Promise<void> {
  const { mcp: checked = {} } = defineApp({ agents: [defineAgent({ name: 'a', prompt: 'A.', tools: [] })], mcp: offered });
  const parts = {
    client: () => Promise.reject(new Error('none')),
    log: silent,
    offers: () => new Map(),
    decide: () => null,
    answer: () => null,
  };
  const face = createMcpEndpoint({ ...parts, mcp: checked, agent, principal: () => createPrincipal(by, roles) });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([face.server.connect(ours), client.connect(theirs)]);
  try {
    await body(client);
  } finally {
    face.leave();
    await client.close();
  }
}

const INVALID = { code: -32602 };
const BROKEN = { code: -32603 };

describe('prompts of the app', () => {
  it('are listed with their arguments, and got with them filled in', () =>
    connected({ agent: 'a' }, async (client) => {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['plain', 'letter', 'ours', 'broken', 'wrong', 'huge']);
      expect(prompts[1]).toEqual({
        name: 'letter',
        title: 'A letter',
        description: 'Writes a letter.',
        arguments: [
          { name: 'to', description: 'To whom', required: true },
          { name: 'tone', required: false },
        ],
      });
      const plain = await client.getPrompt({ name: 'plain' });
      expect(plain.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Say little.' } }]);
      const letter = await client.getPrompt({ name: 'letter', arguments: { to: 'Bo' } });
      expect(letter.messages).toMatchObject([
        { content: { text: 'Bo, plain, acme/ada, a' } },
        { role: 'assistant', content: { type: 'image', data: PNG.toString('base64') } },
      ]);
    }));

  it('are refused with wrong arguments; the error does not show what the function threw', () =>
    connected({}, async (client) => {
      const got = (name: string, given?: Record<string, string>) => client.getPrompt({ name, arguments: given });
      await expect(got('letter')).rejects.toMatchObject({ ...INVALID, message: expect.stringContaining('needs to') });
      await expect(got('letter', { to: 'Bo', cc: 'x' })).rejects.toMatchObject(INVALID);
      await expect(got('letter', { to: 'x'.repeat(10_001) })).rejects.toMatchObject(INVALID);
      await expect(got('letter', { to: 'Bo', constructor: 'x' } as never)).rejects.toMatchObject(INVALID);
      for (const name of ['nothing', '__proto__', 'x'.repeat(5000)]) await expect(got(name)).rejects.toMatchObject(INVALID);
      for (const name of ['broken', 'wrong', 'huge']) {
        const failed = await got(name).catch((error: unknown) => error as Error);
        expect(failed).toMatchObject(BROKEN);
        expect((failed as Error).message).not.toContain('hunter2');
      }
    }));

  it('are visible to the principals whom the app permits, and to nobody if its check fails', () =>
    connected({ by: 'globex/eve' }, async (client) => {
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('ours');
      for (const name of ['ours', 'hidden', 'failing']) await expect(client.getPrompt({ name })).rejects.toMatchObject(INVALID);
      expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['terms', 'logo', 'odd']);
      await expect(client.readResource({ uri: 'handbook://ours' })).rejects.toMatchObject({ code: -32002 });
      await expect(client.subscribeResource({ uri: 'handbook://ours' })).rejects.toMatchObject({ code: -32002 });
    }));

  it('are given by pages', () => {
    const prompts = Array.from({ length: 201 }, (_, index) => ({ name: `p${index}`, description: 'P.', messages: () => 'P' }));
    return connected({ offered: { prompts } }, async (client) => {
      const { prompts: first, nextCursor } = await client.listPrompts();
      expect([first.length, (await client.listPrompts({ cursor: nextCursor })).prompts.length]).toEqual([200, 1]);
      await expect(client.listPrompts({ cursor: "' OR 1=1" })).rejects.toMatchObject(INVALID);
    });
  });
});

describe('resources of the app', () => {
  it('are listed and read: texts, bytes, and those of a template', () =>
    connected({}, async (client) => {
      expect((await client.listResources()).resources[1]).toEqual({
        uri: 'handbook://logo',
        name: 'logo',
        description: 'Our logo.',
        mimeType: 'image/png',
      });
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
        { uriTemplate: 'invoice://{customer}/{id}', name: 'invoice', mimeType: 'application/json' },
      ]);
      const read = async (uri: string) => (await client.readResource({ uri })).contents;
      expect(await read('handbook://terms')).toEqual([{ uri: 'handbook://terms', mimeType: 'text/plain', text: 'Thirty days.' }]);
      expect(await read('handbook://logo')).toMatchObject([{ blob: PNG.toString('base64') }]);
      const [invoice] = await read('invoice://a%20b/7');
      expect(JSON.parse((invoice as { text: string }).text)).toEqual({ customer: 'a b', id: '7', principal: 'acme/ada' });
      await expect(read('handbook://odd')).rejects.toMatchObject(BROKEN);
      for (const uri of ['invoice://a/0', 'invoice://a/..', 'invoice://a', 'file:///etc/passwd', '', 'x'.repeat(100_000)])
        await expect(read(uri)).rejects.toMatchObject({ code: -32002 });
    }));

  it('wait for the app in no more than eight requests of a session at once', () => {
    const resource = { uri: 'slow://a', name: 'a', mimeType: 'text/plain', read: () => sleep(300, 'late') };
    return connected({ offered: { resources: [resource] } }, async (client) => {
      const reads = Array.from({ length: 9 }, () => client.readResource({ uri: 'slow://a' }));
      const ends = await Promise.allSettled(reads);
      expect(ends.map(({ status }) => status)).toEqual([...Array.from({ length: 8 }, () => 'fulfilled'), 'rejected']);
    });
  });
});

describe('completion', () => {
  it('gives the app’s values for prompts and templates, at most 100, and none if there is no function', () =>
    connected({}, async (client) => {
      const of = (argument: string, value: string, given?: Record<string, string>) =>
        client.complete({
          ref: { type: 'ref/prompt', name: 'letter' },
          argument: { name: argument, value },
          ...(given ? { context: { arguments: given } } : {}),
        });
      expect((await of('to', 'B', { tone: 'warm' })).completion.values).toEqual(['B-acme/ada-warm']);
      expect((await of('tone', 'w')).completion).toEqual({ values: [], total: 0, hasMore: false });
      const ref = { type: 'ref/resource' as const, uri: 'invoice://{customer}/{id}' };
      const { completion } = await client.complete({ ref, argument: { name: 'id', value: '' } });
      expect({ ...completion, values: completion.values.length }).toEqual({ values: 100, total: 150, hasMore: true });
      await expect(of('cc', 'x')).rejects.toMatchObject(INVALID);
      await expect(of('constructor', 'x')).rejects.toMatchObject(INVALID);
      await expect(of('to', 'x'.repeat(10_001))).rejects.toMatchObject(INVALID);
      await expect(client.complete({ ref: { ...ref, uri: 'a://{b}' }, argument: { name: 'b', value: '' } })).rejects.toMatchObject(INVALID); // oxfmt-ignore
    }));
});

describe('subscriptions', () => {
  it('report a changed answer once, and end with unsubscribing', async () => {
    let version = 'a';
    const told: string[] = [];
    const subscriptions = new Subscriptions({ versionOf: async () => version, changed: async (uri) => void told.push(uri) }, 10);
    await subscriptions.add('a://b');
    await sleep(50);
    expect(told).toEqual([]);
    version = 'b';
    await sleep(100);
    expect(told).toEqual(['a://b']);
    subscriptions.remove('a://b');
    version = 'c';
    await sleep(50);
    expect(told).toEqual(['a://b']);
    subscriptions.end();
  });

  it('are limited to 20 in a session, and stay while their resource cannot be read', async () => {
    let fails = false;
    const told: string[] = [];
    const watched = {
      versionOf: (uri: string) => (fails ? Promise.reject(new Error('away')) : Promise.resolve(uri)),
      changed: async (uri: string) => void told.push(uri),
    };
    const subscriptions = new Subscriptions(watched, 10);
    for (let count = 0; count < 20; count++) await subscriptions.add(`a://${count}`);
    await subscriptions.add('a://0');
    await expect(subscriptions.add('a://20')).rejects.toMatchObject(INVALID);
    fails = true;
    await expect(subscriptions.add('a://21')).rejects.toThrow('away');
    await sleep(50);
    fails = false;
    await sleep(50);
    expect(told).toEqual([]);
    subscriptions.end();
  });

  it('report only to the client that made them', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'performance', 'Date'],
    });
    let terms = 'Thirty days.';
    const resource = { uri: 'handbook://terms', name: 'terms', mimeType: 'text/plain', read: () => terms };
    try {
      await connected({ offered: { resources: [resource] } }, async (client) => {
        const told = new Promise<string>((resolve) => {
          client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
        });
        await client.subscribeResource({ uri: 'handbook://terms' });
        terms = 'Sixty days.';
        jest.advanceTimersByTime(10_000);
        expect(await told).toBe('handbook://terms');
        expect(jest.getTimerCount()).toBe(1);
        await client.unsubscribeResource({ uri: 'handbook://terms' });
        expect(jest.getTimerCount()).toBe(0);
      });
    } finally {
      jest.useRealTimers();
    }
  });

  it('need a resource that exists', () =>
    connected({}, async (client) => {
      expect(await client.subscribeResource({ uri: 'handbook://terms' })).toEqual({});
      expect(await client.subscribeResource({ uri: 'invoice://a/7' })).toEqual({});
      await expect(client.subscribeResource({ uri: 'invoice://a/0' })).rejects.toMatchObject({ code: -32002 });
      expect(await client.unsubscribeResource({ uri: 'handbook://never' })).toEqual({});
    }));
});

describe('log messages of tools', () => {
  const at = '2026-11-25T00:00:00.000Z';
  const line = (level: 'debug' | 'info' | 'warning' | 'error', text: string) => {
    return { at, type: 'tool_log' as const, call: '1.1', tool: 'look', level, text };
  };

  it('come from the client’s level on, and not at all before it has set one', async () => {
    const handlers: ((request: { params: { level: string } }) => unknown)[] = [];
    const logs = new ToolLogs({ setRequestHandler: (_schema: unknown, handler: never) => void handlers.push(handler) } as never);
    const sent: ServerNotification[] = [];
    const hear = logs.report(async (notification) => void sent.push(notification));
    hear(line('error', '"before"'));
    expect(handlers[0]!({ params: { level: 'notice' } })).toEqual({});
    for (const level of ['debug', 'info', 'warning', 'error'] as const) hear(line(level, JSON.stringify({ level })));
    hear(line('error', 'no JSON'));
    hear({ at, type: 'tool_progress', call: '1.1', message: 'half', fraction: 0.5 });
    expect(sent).toEqual([
      { method: 'notifications/message', params: { level: 'warning', logger: 'look', data: { level: 'warning' } } },
      { method: 'notifications/message', params: { level: 'error', logger: 'look', data: { level: 'error' } } },
      { method: 'notifications/message', params: { level: 'error', logger: 'look', data: 'no JSON' } },
    ]);
    for (let count = 0; count < 2000; count++) hear(line('error', '1'));
    expect(sent).toHaveLength(1000);
  });
});

describe('an app that offers only its tools', () => {
  it('has no other capability, and answers no other request', () =>
    connected({ offered: {} }, async (client) => {
      expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
      await expect(client.listPrompts()).rejects.toThrow();
      await expect(client.request({ method: 'logging/setLevel', params: { level: 'info' } }, {} as never)).rejects.toThrow();
    }));

  it('has the capabilities of the things that it does offer, and no others', () =>
    connected(
      { offered: { toolLogs: true, prompts: [{ name: 'a', description: 'A.', messages: () => 'A' }] } },
      async (client) => {
        expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, prompts: {}, logging: {} });
        expect(await client.setLoggingLevel('debug')).toEqual({});
        await expect(client.setLoggingLevel('loud' as never)).rejects.toThrow();
      },
    ));
});
