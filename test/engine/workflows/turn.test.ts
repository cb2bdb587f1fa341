import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { ToolError } from '../../../src/tools/define/errors';
import { ModelFailure } from '../../../src/model/provider';
import { describeTurn } from '../../../src/cli/support/describe';
import { shownCard } from '../../support/card';
import { eventually, withEngine } from '../support/engine';
import { ask, results, say, ScriptedModel, type Answer } from '../../support/scripted-model';
import { Barrier, pays, reads } from '../../support/tools';

describe('a turn', () => {
  it('answers a message without tools', () =>
    withEngine({ script: [say('Hello.')] }, async ({ start }) => {
      const view = await (await start()).result();
      expect(view).toMatchObject({ state: 'completed', text: 'Hello.', step: 1, calls: [], pending: [], reason: null });
      expect(view.usage).toMatchObject({ input_tokens: 100, output_tokens: 10 });
      expect(view.head).toMatch(/^[0-9a-f]{64}$/);
    }));

  it('runs five safe calls at once: they meet at a barrier that opens only when all five run', async () => {
    const barrier = new Barrier(5);
    const meet = reads('meet', async ({ key }) => {
      await barrier.pass();
      return key;
    });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((key): [string, { key: string }] => ['meet', { key }]);
    await withEngine({ tools: [meet], script: [ask(...calls), say('ok')] }, async ({ start, model }) => {
      expect((await (await start()).result()).state).toBe('completed');
      expect(barrier.most).toBe(5);
      expect(results(model.requests[1]!).map((result) => result.body.data)).toEqual(['a', 'b', 'c', 'd', 'e']);
    });
  });

  it('shows in the Web UI and in `show` what a tool threw, without its secrets', async () => {
    const broken = reads('broken', () => {
      throw new Error('no answer from https://bank:hunter22@bank.example/pay');
    });
    await withEngine(
      { tools: [broken], script: [ask(['broken', { key: 'a' }]), say('ok')] },
      async ({ start, client, model }) => {
        const turn = await start();
        const view = await turn.result();
        const thrown = 'EXECUTION_ERROR tool_crashed: broken failed: no answer from https://[credentials]@bank.example/pay';
        expect(await shownCard(client, turn)).toContain(`- call 1.1 \`broken\` failed: \`${thrown}\``);
        expect(describeTurn(view).join('\n')).toContain(thrown);
        expect(JSON.stringify(model.requests[1])).not.toContain('hunter22');
      },
    );
  });

  it('never runs more calls at once than the agent allows', async () => {
    let inside = 0;
    let most = 0;
    const slow = reads('slow', async ({ key }) => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 150));
      inside -= 1;
      return key;
    });
    const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key): [string, { key: string }] => ['slow', { key }]);
    await withEngine({ tools: [slow], agent: { maxParallel: 3 }, script: [ask(...calls), say('ok')] }, async ({ start }) => {
      await (await start()).result();
      expect(most).toBe(3);
    });
  });

  it('returns results in the order of the calls, whichever call finished first', async () => {
    const earlier: Record<string, string> = { middle: 'quick', slow: 'middle' };
    const finished: string[] = [];
    const wait = reads('wait', async ({ key }) => {
      const first = earlier[key];
      if (first !== undefined) await eventually(`${first} has finished`, async () => finished.includes(first));
      finished.push(key);
      return key;
    });
    await withEngine(
      {
        tools: [wait],
        script: [ask(['wait', { key: 'slow' }], ['wait', { key: 'middle' }], ['wait', { key: 'quick' }]), say('ok')],
      },
      async ({ start, model }) => {
        await (await start()).result();
        expect(finished).toEqual(['quick', 'middle', 'slow']);
        expect(results(model.requests[1]!).map((result) => [result.id, result.body.data])).toEqual([
          ['use_1', 'slow'],
          ['use_2', 'middle'],
          ['use_3', 'quick'],
        ]);
      },
    );
  });

  it('answers an unknown tool, a made-up confirmation and broken JSON without running anything', async () => {
    let ran = 0;
    const tool = reads('lookup', () => ++ran);
    const script = [
      {
        ...ask(['__proto__', {}], ['lookup', { key: 'a', confirmed: true }], ['lookup', {}], ['lookup', { key: 1 }]),
        json: { use_3: '{"key": "a", "key": "b"}' },
      },
      say('ok'),
    ];
    await withEngine({ tools: [tool], script }, async ({ start, model }) => {
      const view = await (await start()).result();
      const [unknown, confirmed, duplicate, type] = results(model.requests[1]!).map((result) => result.body.error);
      expect(unknown).toMatchObject({ kind: 'USER_INPUT_ERROR', code: 'TOOL_NOT_FOUND' });
      expect(confirmed).toMatchObject({ code: 'INVALID_PARAMS', hint: expect.stringContaining('person') });
      expect(duplicate).toMatchObject({ code: 'INVALID_PARAMS', reason: 'malformed_json' });
      expect(type).toMatchObject({ code: 'INVALID_PARAMS', reason: 'schema_violation' });
      expect(view.calls.map((call) => call.state)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
      expect(ran).toBe(0);
    });
  });

  it('runs at most 64 calls of one answer, and answers the others', async () => {
    let ran = 0;
    const tool = reads('lookup', () => ++ran);
    const calls = Array.from({ length: 70 }, (_, index): [string, { key: string }] => [
      'lookup',
      { key: `${index} ${'x'.repeat(1500)}` },
    ]);
    await withEngine({ tools: [tool], script: [ask(...calls), say('ok')] }, async ({ start, model }) => {
      expect((await (await start()).result()).state).toBe('completed');
      expect(ran).toBe(64);
      const answers = results(model.requests[1]!);
      expect(answers).toHaveLength(70);
      expect(answers.slice(64).map((answer) => answer.body.error.reason)).toEqual(Array(6).fill('too_many_calls'));
    });
  });

  it('gives a tool an input of its own, also one that is too large to travel', async () => {
    const seen: unknown[] = [];
    const tool = reads('lookup', (input) => {
      seen.push((input as { key: string }).key.length);
      (input as { key: string }).key = 'changed by the tool';
      return 1;
    });
    const script = [ask(['lookup', { key: 'small' }], ['lookup', { key: 'x'.repeat(5000) }]), say('done')];
    await withEngine({ tools: [tool], script }, async ({ start }) => {
      const { calls } = await (await start()).result();
      expect(calls.map((call) => call.state)).toEqual(['succeeded', 'succeeded']);
      expect(seen.sort()).toEqual([5, 5000]);
    });
  });

  it('fails, naming the block, when its transcript is damaged', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-damage-'));
    // A worker with empty caches, as after a restart.
    const store: Store = Object.assign(Object.create(await FileStore.open(directory)) as Store, {
      getBlock: async (hash: string) => (await FileStore.open(directory)).getBlock(hash),
    });
    const tool = reads('lookup', async () => {
      const folder = join(directory, 'objects');
      for (const name of await readdir(folder, { recursive: true })) {
        const path = join(folder, name);
        if ((await stat(path)).isFile()) await writeFile(path, 'damaged');
      }
      return 1;
    });
    await withEngine({ tools: [tool], store, script: [ask(['lookup', {}]), say('never')] }, async ({ start }) => {
      const view = await (await start()).result();
      expect(view.state).toBe('failed');
      expect(view.reason).toMatch(/[0-9a-f]{64}/);
    });
    await rm(directory, { recursive: true, force: true });
  });

  it('retries a lost connection three times and no further, counting each code for itself', async () => {
    const attempts: string[] = [];
    const codes = ['NETWORK_ERROR', 'RATE_LIMITED', 'NETWORK_ERROR', 'RATE_LIMITED', 'NETWORK_ERROR', 'NETWORK_ERROR'] as const;
    const flaky = reads('flaky', (_input, ctx) => {
      const code = codes[attempts.length]!;
      attempts.push(ctx.idempotencyKey);
      throw new ToolError(code, 'lost', 'no', { retryAfterMs: 20 });
    });
    await withEngine({ tools: [flaky], script: [ask(['flaky', {}]), say('ok')] }, async ({ start, model }) => {
      await (await start()).result();
      expect(attempts).toHaveLength(6);
      expect(new Set(attempts).size).toBe(1);
      expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({ kind: 'TRANSIENT_ERROR', code: 'NETWORK_ERROR' });
    });
  });

  it('does not retry an error that a retry cannot help', async () => {
    let attempts = 0;
    const wrong = reads('wrong', () => {
      attempts += 1;
      throw new ToolError('RESOURCE_NOT_FOUND', 'ticker_not_found', 'No company has ticker "ZZZZ".', { hint: 'Known: AAPL.' });
    });
    await withEngine({ tools: [wrong], script: [ask(['wrong', {}]), say('ok')] }, async ({ start, model }) => {
      await (await start()).result();
      expect(attempts).toBe(1);
      expect(results(model.requests[1]!)[0]).toMatchObject({
        isError: true,
        body: { success: false, error: { kind: 'USER_INPUT_ERROR', reason: 'ticker_not_found', hint: 'Known: AAPL.' } },
      });
    });
  });

  it('stops a tool at its time limit and aborts its signal', async () => {
    const reasons: string[] = [];
    const hangs = reads(
      'hangs',
      (_input, ctx) => new Promise(() => ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason.name))),
      {
        timeoutMs: 100,
      },
    );
    await withEngine({ tools: [hangs], script: [ask(['hangs', {}]), say('ok')] }, async ({ start, model }) => {
      await (await start()).result();
      expect(reasons).toEqual(['TimeoutError', 'TimeoutError', 'TimeoutError']); // the first attempt and two retries
      expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({ code: 'TIMEOUT' });
    });
  });

  it('keeps a large result in the store and lets the model read it, but not the result of another turn', async () => {
    const text = 'long '.repeat(2000);
    const big = reads('big', () => ({ text }));
    let ref = '';
    const model = new ScriptedModel([]);
    const play = async (request: Parameters<ScriptedModel['request']>[0]) => {
      const last = results(request);
      if (last.length === 0) return ask(['big', {}]);
      if (last[0]!.body.data?.ref) {
        ref = last[0]!.body.data.ref;
        return ask(['read_result', { ref, offset: 5, limit: 8000 }]);
      }
      return say('end');
    };
    model.request = async (request, callbacks) => {
      model.requests.push(structuredClone(request));
      return new ScriptedModel([await play(request)]).request(request, callbacks);
    };
    await withEngine({ tools: [big], model }, async ({ start }) => {
      await (await start()).result();
      const read = results(model.requests[2]!)[0]!.body.data;
      expect(read).toMatchObject({ ref, offset: 5, total: JSON.stringify({ text }).length, next_offset: 8005 });
      expect(read.text).toBe(JSON.stringify({ text }).slice(5, 8005));
      const first = ref;
      model.requests.length = 0;
      model.request = async (request, callbacks) => {
        model.requests.push(structuredClone(request));
        return new ScriptedModel([model.requests.length === 1 ? ask(['read_result', { ref: first }]) : say('end')]).request(
          request,
          callbacks,
        );
      };
      await (await start()).result();
      expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_ref' });
    });
  });

  it('tells the model to change its approach after the same failure twice, and refuses a third time', async () => {
    let ran = 0;
    const fails = reads('fails', () => {
      ran += 1;
      throw new ToolError('RESOURCE_NOT_FOUND', 'gone', 'gone');
    });
    const again = ask(['fails', {}]);
    await withEngine({ tools: [fails], script: [again, again, again, say('ok')] }, async ({ start, model }) => {
      await (await start()).result();
      expect(ran).toBe(2);
      expect(results(model.requests[1]!)[0]!.body.note).toBeUndefined();
      expect(results(model.requests[2]!)[0]!.body.note).toMatch(/Change the approach/);
      expect(results(model.requests[3]!)[0]!.body.error).toMatchObject({ reason: 'repeated_failure' });
    });
  });

  it('asks people each time about a call that they denied, or said had no effect: that is no failure of the call', async () => {
    const effects: unknown[] = [];
    const pay = pays('pay', effects, {
      run: (input: unknown) => {
        effects.push(input);
        if (effects.length < 3) throw new Error('cut off');
        return { paid: true };
      },
    });
    const again = ask(['pay', { invoice: 'A', cents: 1 }]);
    const script = [again, again, again, again, again, say('paid')];
    await withEngine({ tools: [pay], script }, async ({ start, model }) => {
      const turn = await start();
      const next = async () => (await turn.waitForPending())[0].digest;
      await turn.deny(await next(), { by: 'ana' });
      await turn.deny(await next(), { by: 'ana' });
      for (const _ of [1, 2]) {
        await turn.approve(await next(), { by: 'ana' });
        await turn.settle(await next(), 'not_applied', { by: 'ana' });
      }
      await turn.approve(await next(), { by: 'ana' });
      expect((await turn.result()).calls.map(({ state }) => state)).toEqual([
        'denied',
        'denied',
        'failed',
        'failed',
        'succeeded',
      ]);
      expect(model.requests.flatMap((request) => results(request)).map(({ body }) => body.note)).not.toContainEqual(
        expect.stringMatching(/failed twice/),
      );
    });
  });

  it.each([
    ['steps', { steps: 2 }],
    ['tokens', { tokens: 150 }],
    ['time', { timeMs: 1 }],
  ])('ends in state limit, with what it has, when %s run out', (_name, limits) => {
    const tool = reads('lookup', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 1;
    });
    const step = (n: number) => ({
      content: [{ type: 'text', text: `step ${n}` }, ...ask(['lookup', { key: String(n) }]).content],
    });
    return withEngine({ tools: [tool], agent: { limits }, script: [step(1), step(2), step(3), step(4)] }, async ({ start }) => {
      const view = await (await start()).result();
      expect(view.state).toBe('limit');
      expect(view.reason).toMatch(/limit of/);
      expect(view.text).toMatch(/^step [12]$/);
    });
  });

  it('cancels the siblings of a failed call only when the agent asks for it', async () => {
    const aborted: string[] = [];
    const tool = reads('work', async ({ key }, ctx) => {
      if (key === 'bad') throw new ToolError('RESOURCE_NOT_FOUND', 'bad', 'bad');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 2500);
        ctx.signal.addEventListener('abort', () => {
          aborted.push(key);
          clearTimeout(timer);
          resolve();
        });
      });
      return key;
    });
    const script = [ask(['work', { key: 'slow' }], ['work', { key: 'bad' }]), say('ok')];
    await withEngine({ tools: [tool], script: [...script], agent: { siblingAbort: true } }, async ({ start, model }) => {
      const view = await (await start()).result();
      expect(aborted).toEqual(['slow']);
      expect(view.calls.map((call) => call.state)).toEqual(['cancelled', 'failed']);
      expect(results(model.requests[1]!)[0]!.body.error.reason).toBe('aborted_by_sibling');
    });
    await withEngine({ tools: [tool], script: [...script] }, async ({ start }) => {
      const view = await (await start()).result();
      expect(view.calls.map((call) => call.state)).toEqual(['succeeded', 'failed']);
    });
  });

  it('stops its running tools before it ends when it is cancelled', async () => {
    const order: string[] = [];
    let started = false;
    const tool = reads('work', async (_input, ctx) => {
      started = true;
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      await new Promise((resolve) => setTimeout(resolve, 300));
      order.push('tool');
      throw ctx.signal.reason;
    });
    await withEngine({ tools: [tool], script: [ask(['work', {}]), say('never')] }, async ({ start }) => {
      const turn = await start();
      await eventually('the tool runs', async () => started);
      await turn.cancel();
      const view = await turn.result();
      order.push('turn');
      expect(order).toEqual(['tool', 'turn']);
      expect(view).toMatchObject({ state: 'cancelled', reason: 'Cancelled. No destructive call had been applied.' });
      expect(view.calls[0]!.state).toBe('cancelled');
    });
  });

  it('retries a model that is overloaded, and fails with what to do when the key is wrong', async () => {
    const overloaded = new ModelFailure('overloaded', {
      type: 'model.overloaded',
      retryable: true,
      status: 529,
      retryAfterMs: 50,
    });
    const auth = new ModelFailure('The key was refused. Set ANTHROPIC_API_KEY.', {
      type: 'model.auth',
      retryable: false,
      status: 401,
    });
    await withEngine({ script: [overloaded, overloaded, say('there')] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed', text: 'there' });
    });
    await withEngine({ script: [auth] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({
        state: 'failed',
        reason: 'The key was refused. Set ANTHROPIC_API_KEY.',
      });
    });
  });

  it('knows every stop reason', async () => {
    const text = { type: 'text', text: 'part' };
    const cutCall = {
      content: [{ type: 'tool_use', id: 'use_1', name: 'lookup', input: {} }],
      stopReason: 'max_tokens' as const,
      json: { use_1: '{"key": "a' },
    };
    let ran = 0;
    const tools = [reads('lookup', () => ++ran)];
    await withEngine(
      { tools, script: [{ content: [text], stopReason: 'pause_turn' }, say('whole')] },
      async ({ start, model }) => {
        expect(await (await start()).result()).toMatchObject({ state: 'completed', text: 'whole', step: 2 });
        expect(model.requests[1]!.messages.at(-1)).toMatchObject({ role: 'assistant' });
      },
    );
    await withEngine({ tools, script: [{ content: [text], stopReason: 'stop_sequence' }] }, async ({ start }) => {
      expect((await (await start()).result()).state).toBe('completed');
    });
    await withEngine({ tools, script: [{ content: [text], stopReason: 'max_tokens' }] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'limit', text: 'part' });
    });
    await withEngine({ tools, script: [cutCall, say('shorter')] }, async ({ start, model }) => {
      expect((await (await start()).result()).state).toBe('completed');
      expect(results(model.requests[1]!)[0]!.body.error.reason).toBe('cut_off');
      expect(ran).toBe(0);
    });
    await withEngine({ tools, script: [{ content: [], stopReason: 'refusal' }] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^MODEL_REFUSAL/) });
    });
  });

  it("refuses the vendor's server-side tools unless the agent lists them, and records those", async () => {
    const answer: Answer = {
      content: [
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
        { type: 'text', text: 'found' },
      ],
    };
    await withEngine({ script: [answer] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'failed', reason: expect.stringContaining('web_search') });
    });
    await withEngine(
      { script: [answer], agent: { serverTools: [{ type: 'web_search_20250305', name: 'web_search' }] } },
      async ({ start }) => {
        expect(await (await start()).result()).toMatchObject({ state: 'completed', text: 'found' });
      },
    );
  });

  it('starts once for one id, and refuses the id for another message', () =>
    withEngine({ script: [say('once')] }, async ({ start, client }) => {
      const id = `once-${Date.now()}`;
      const first = await start('Pay it.', { id });
      expect((await first.result()).text).toBe('once');
      const second = await client.start({ agent: 'tester', message: 'Pay it.', id });
      expect(second.workflowId).toBe(first.workflowId);
      expect((await second.result()).text).toBe('once');
      await expect(client.start({ agent: 'tester', message: 'Pay another.', id })).rejects.toThrow('has been used for another');
    }));

  it('serves a read again within its time to live, and says so', async () => {
    let ran = 0;
    const quote = reads('quote', () => ++ran, { cacheTtlMs: 60_000 });
    await withEngine(
      { tools: [quote], script: [ask(['quote', {}]), ask(['quote', {}]), say('ok')] },
      async ({ start, model }) => {
        await (await start()).result();
        expect(ran).toBe(1);
        expect(results(model.requests[2]!)[0]!.body).toMatchObject({ data: 1, cache: { hit: true } });
      },
    );
  });
});
