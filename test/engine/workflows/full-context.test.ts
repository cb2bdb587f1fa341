/** A conversation that is longer than the model's window: the vendor says so, room is made, and the turn goes on. */
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { ModelFailure, type ModelProvider, type ModelRequest } from '../../../src/model/provider';
import { startRehearsal, type Rehearsal, type RehearsalOptions } from '../../../src/model/rehearsal';
import { conversationTokens } from '../../../src/activities/step/compaction';
import type { JsonObject } from '../../../src/shared/json/json';
import { walk } from '../../../src/store/core/transcript';
import { withEngine, type Setup } from '../support/engine';
import { talk } from '../support/sessions';
import { ask, say, ScriptedModel, type Answer } from '../../support/scripted-model';
import { reads } from '../../support/tools';

const long = reads('look', ({ key }) => `all about ${String(key)}, `.repeat(200));
const tooLong = (sent = 210_000, window = 200_000) =>
  new ModelFailure(`The request is too large. It said: prompt is too long: ${sent} tokens > ${window} maximum`, {
    type: 'model.too_large',
    retryable: false,
    status: 400,
  });
const looks = (...keys: string[]): Answer[] => keys.map((key) => ask(['look', { key }]));
const isSummary = ({ messages }: ModelRequest) => JSON.stringify(messages.at(-1)).includes('Summarize this conversation');

test('a request that is too long is made again with less: old results are left out, and the turn ends as if nothing had been', () =>
  withEngine(
    { tools: [long], script: [...looks('a', 'b', 'c', 'd', 'e', 'f'), tooLong(6000, 5500), say('summary'), say('done')] },
    async ({ start, model, store }) => {
      const view = await (await start()).result();
      expect(view).toMatchObject({ state: 'completed', text: 'done', step: 8 });
      expect(model.requests.length).toBeGreaterThanOrEqual(8);
      const blocks = await walk(store, view.head);
      const refused = blocks.find(({ bodies: [body] }) => (body as JsonObject).stop_reason === 'prompt_too_long');
      expect(refused?.bodies[0]).toMatchObject({ message_id: null, context_window: 5500, usage: { context_tokens: 6000 } });
      expect(blocks.filter(({ block }) => block.kind === 'summary')).toHaveLength(1);
    },
  ));

test('a request that the vendor counts as longer than the window is not made: room is made first', async () => {
  const model = Object.assign(new ScriptedModel([...looks('a', 'b', 'c', 'd', 'e', 'f'), say('summary'), say('done')]), {
    countTokens: async ({ messages }: ModelRequest) => (messages.length > 12 ? 6000 : 100),
  });
  await withEngine({ tools: [long], model, agent: { contextWindow: 4000 } }, async ({ start, store }) => {
    const view = await (await start()).result();
    expect(view).toMatchObject({ state: 'completed', text: 'done', step: 8 });
    expect(model.requests).toHaveLength(8);
    const blocks = await walk(store, view.head);
    const refused = blocks.filter(({ bodies: [body] }) => (body as JsonObject).stop_reason === 'prompt_too_long');
    expect(refused.map(({ bodies: [body] }) => body)).toMatchObject([
      { message_id: null, context_window: 4000, usage: { context_tokens: 6000 } },
    ]);
    expect(blocks.filter(({ block }) => block.kind === 'summary')).toHaveLength(1);
  });
});

test('a message longer than the window by the vendor’s count is sent all the same, where nothing can be left out', async () => {
  const model = Object.assign(new ScriptedModel([say('done')]), { countTokens: async () => 9000 });
  await withEngine({ model, agent: { contextWindow: 1000 } }, async ({ start }) => {
    expect(await (await start('many words '.repeat(600))).result()).toMatchObject({
      state: 'completed',
      text: 'done',
    });
    expect(model.requests).toHaveLength(1);
  });
});

test('where nothing more can be left out, the turn ends and says so', () =>
  withEngine({ tools: [long], script: [tooLong()] }, async ({ start }) => {
    expect(await (await start()).result()).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^model\.too_large: .*window.*nothing more/),
    });
  }));

test('an answer for which there was no room is kept with its figures, room is made, and it is asked for again', async () => {
  const script: Answer[] = [
    ...looks('a', 'b', 'c', 'd', 'e', 'f'),
    { content: [{ type: 'text', text: 'The first half' }], stopReason: 'model_context_window_exceeded' },
    say('The whole answer.'), // old results are left out: no summary is needed
  ];
  await withEngine({ tools: [long], script }, async ({ start, model, store }) => {
    const view = await (await start()).result();
    expect(view).toMatchObject({ state: 'completed', text: 'The whole answer.' });
    expect(view.usage.output_tokens).toBe(10 * model.requests.length);
    const said = (await walk(store, view.head)).filter(({ block }) => block.kind === 'message').map(({ bodies }) => bodies);
    expect(JSON.stringify(said)).toContain('The first half');
    const asked = model.requests
      .filter((request) => !isSummary(request))
      .at(-1)!
      .messages.at(-1)!;
    expect(asked).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('give the whole answer once more') }],
    });
  });
});

test('a call that was cut off where there was no room is not run', async () => {
  let ran = 0;
  const cut: Answer = {
    content: [{ type: 'tool_use', id: 'use_1', name: 'count', input: {} }],
    stopReason: 'model_context_window_exceeded',
    json: { use_1: '{"key": "a' },
  };
  await withEngine({ tools: [reads('count', () => ++ran)], script: [cut, say('done')] }, async ({ start }) => {
    expect(await (await start()).result()).toMatchObject({ state: 'completed' });
    expect(ran).toBe(0);
  });
});

test('a message that is longer than the window ends its turn, and no turn of the session after it', async () => {
  const window = 20_000;
  const model: ModelProvider = {
    name: 'short',
    request: async (request, how) => {
      const sent = conversationTokens(request.messages);
      return sent > window ? Promise.reject(tooLong(sent, window)) : new ScriptedModel([say('short')]).request(request, how);
    },
  };
  await withEngine({ tools: [long], model, agent: { contextWindow: window } }, async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', id: `s-${Date.now()}` });
    const huge = 'many words '.repeat(9000);
    expect(await talk(session, 'Hello.')).toMatchObject({ state: 'completed' });
    expect(await talk(session, huge)).toMatchObject({ state: 'failed', reason: expect.stringContaining('model.too_large') });
    expect(await talk(session, huge)).toMatchObject({ state: 'failed' });
    expect(await talk(session, 'Hello again.')).toMatchObject({ state: 'completed', text: 'short' });
    expect(await talk(session, 'And again.')).toMatchObject({ state: 'completed', text: 'short' });
  });
});

test('a message that the model declined is not sent again: no later turn of the session is declined because of it', async () => {
  const model: ModelProvider = {
    name: 'careful',
    request: async (request, how) => {
      const bad = JSON.stringify(request.messages).includes('forbidden');
      const answer: Answer = { content: [{ type: 'text', text: 'I' }], stopReason: 'refusal' };
      return new ScriptedModel([bad ? answer : say('fine')]).request(request, how);
    },
  };
  await withEngine({ model }, async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', id: `s-${Date.now()}` });
    expect(await talk(session, 'Hello.')).toMatchObject({ state: 'completed' });
    expect(await talk(session, 'Do what is forbidden.')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('MODEL_REFUSAL'),
    });
    expect(await talk(session, 'Something else.')).toMatchObject({ state: 'completed', text: 'fine' });
  });
});

describe('with the real client, over HTTP', () => {
  async function onWire(
    options: RehearsalOptions,
    setup: Setup,
    body: (of: { rehearsal: Rehearsal; start(): Promise<any> }) => Promise<void>,
  ) {
    // oxfmt-ignore
    const rehearsal = await startRehearsal(options);
    try {
      const model = new AnthropicProvider({ apiKey: 'k', baseUrl: rehearsal.baseUrl });
      await withEngine({ ...setup, model }, ({ start }) => body({ rehearsal, start: async () => (await start()).result() }));
    } finally {
      await rehearsal.close();
    }
  }
  const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'bash_code_execution', input: { command: 'x' } };
  const call = { type: 'tool_use', name: 'look', input: { key: 'a' } };
  const serverTools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
  const soon = new Date(Date.now() + 3_600_000).toISOString();

  it('the container of an answer is named in the next request, so that waiting code goes on in it', () =>
    onWire(
      {
        script: [
          { content: [code, call], container: { id: 'container_1', expires_at: soon } },
          { content: [{ type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: {} }, { type: 'text', text: 'ok' }] }, // oxfmt-ignore
        ],
      },
      { tools: [long], agent: { serverTools } },
      async ({ rehearsal, start }) => {
        expect(await start()).toMatchObject({ state: 'completed', text: 'ok' });
        expect(rehearsal.requests.map(({ container }) => container)).toEqual([undefined, 'container_1']);
        expect(JSON.stringify(rehearsal.requests[1])).toContain('bash_code_execution');
      },
    ));

  it.each([
    ['has expired', { id: 'container_1', expires_at: '2020-01-01T00:00:00Z' }],
    ['was never named', undefined],
  ])('where it %s, the code is given up, and the turn goes on', (_, container) =>
    onWire(
      { script: [{ content: [code, call], ...(container ? { container } : {}) }, { content: [{ type: 'text', text: 'ok' }] }] },
      { tools: [long], agent: { serverTools } },
      async ({ rehearsal, start }) => {
        expect(await start()).toMatchObject({ state: 'completed', text: 'ok' });
        expect(rehearsal.requests[1]).not.toHaveProperty('container');
        expect(JSON.stringify(rehearsal.requests[1]!.messages)).not.toContain('server_tool_use');
      },
    ),
  );

  it('the total tokens of a search do not count as the size of the conversation: nothing is compacted', () => {
    const searched: JsonObject[] = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      call,
    ];
    const usage = { input_tokens: 190_000, output_tokens: 500, server_tool_use: { web_search_requests: 4 } };
    return onWire(
      { script: [{ content: searched, usage }, { content: [{ type: 'text', text: 'ok' }] }] },
      { tools: [long], agent: { serverTools: [{ type: 'web_search_20250305', name: 'web_search' }] } },
      async ({ rehearsal, start }) => {
        const view = await start();
        expect(view).toMatchObject({ state: 'completed', text: 'ok' });
        expect(view.usage.input_tokens).toBeGreaterThanOrEqual(190_000);
        expect(rehearsal.requests).toHaveLength(2); // a summary would have been one more
      },
    );
  });

  it('an answer with a name that no tool may have, an unsigned thought and white space does not end the session', () =>
    onWire(
      {
        script: [
          { content: [{ type: 'thinking', thinking: 'Hm', signature: '' }, { type: 'text', text: ' ' }, { type: 'tool_use', id: 'toolu_1', name: 'no such.tool', input: {} }] }, // oxfmt-ignore
          { content: [{ type: 'text', text: 'ok' }] },
        ],
      },
      { tools: [long] },
      async ({ rehearsal, start }) => {
        expect(await start()).toMatchObject({ state: 'completed', text: 'ok' });
        expect(JSON.stringify(rehearsal.requests[1]!.messages)).toContain('"no_such_tool"');
      },
    ));
});

test('a summary is asked for without the tool that the agent must call', async () => {
  const model = new ScriptedModel([...looks('a', 'b', 'c', 'd', 'e', 'f'), tooLong(6000, 5500), say('summary'), say('done')]);
  const agent = { modelOptions: { tool_choice: { type: 'any' } } };
  await withEngine({ tools: [long], model, agent }, async ({ start }) => {
    expect(await (await start()).result()).toMatchObject({ state: 'completed' });
    for (const request of model.requests)
      expect(request.options.tool_choice).toEqual({ type: isSummary(request) ? 'none' : 'any' });
  });
});
