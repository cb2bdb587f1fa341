import { ToolError } from '../../../src/tools/define/errors';
import { withEngine, type Engine } from '../support/engine';
import { pays, reads } from '../../support/tools';
import type { TurnEvent } from '../../../src/shapes/turn-event';

const envelopeOf = async (engine: Engine, tool: string, options = {}, input = {}) =>
  (await engine.call(tool, input, { options })).result();

describe('options of one call', () => {
  it('enable_cache false: a cached result is neither read nor written', async () => {
    let runs = 0;
    const tools = [reads('cached', () => (runs += 1), { cacheTtlMs: 600_000 })];
    await withEngine({ tools }, async (engine) => {
      const fresh = { data: expect.any(Number), metadata: { cache: { hit: false } } };
      expect(await envelopeOf(engine, 'cached', { enableCache: false })).toMatchObject(fresh);
      expect(await envelopeOf(engine, 'cached')).toMatchObject({ ...fresh, data: 2 }); // the first one was not written
      expect(await envelopeOf(engine, 'cached')).toMatchObject({ data: 2, metadata: { cache: { hit: true } } });
      expect(await envelopeOf(engine, 'cached', { enableCache: false })).toMatchObject({ ...fresh, data: 3 }); // nor read
      expect(await envelopeOf(engine, 'cached')).toMatchObject({ data: 2, metadata: { cache: { hit: true } } });
    });
  });

  it('enable_retry false: one attempt, and the transient failure is the answer', async () => {
    let attempts = 0;
    const flaky = reads('flaky', () => {
      attempts += 1;
      if (attempts === 1 || attempts === 2) throw new ToolError('NETWORK_ERROR', 'lost', 'lost', { retryAfterMs: 10 });
      return attempts;
    });
    await withEngine({ tools: [flaky] }, async (engine) => {
      const once = await envelopeOf(engine, 'flaky', { enableRetry: false });
      expect(once).toMatchObject({ success: false, error: { code: 'NETWORK_ERROR', retryable: true } });
      expect(attempts).toBe(1);
      expect(await envelopeOf(engine, 'flaky')).toMatchObject({ success: true, data: 3 });
    });
  });

  it('enable_retry false: a destructive call is dispatched once, also where nothing happened', async () => {
    let dispatches = 0;
    const pay = pays('pay', [], {
      run: () => {
        dispatches += 1;
        if (dispatches < 3) throw new ToolError('RATE_LIMITED', 'busy', 'busy', { retryAfterMs: 10 });
        return { paid: true };
      },
    });
    const invoice = { invoice: 'INV-7', cents: 700 };
    await withEngine({ tools: [pay], agent: { permissions: { allow: ['pay'] } } }, async (engine) => {
      const once = await envelopeOf(engine, 'pay', { enableRetry: false }, invoice);
      expect(once).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
      expect(dispatches).toBe(1);
      expect(await envelopeOf(engine, 'pay', {}, invoice)).toMatchObject({ success: true });
      expect(dispatches).toBe(3);
    });
  });

  it('enable_streaming false: no progress is reported', async () => {
    const slow = reads('slow', async (_input, ctx) => {
      ctx.progress('half way', 0.5);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return 'done';
    });
    await withEngine({ tools: [slow] }, async ({ call }) => {
      const eventsWith = async (options: object) => {
        const seen: TurnEvent[] = [];
        for await (const event of (await call('slow', {}, { options })).turn.watch()) seen.push(event);
        return seen.map(({ type }) => type);
      };
      const [silent, told] = await Promise.all([eventsWith({ enableStreaming: false }), eventsWith({})]);
      expect(told).toContain('tool_progress');
      expect(silent).not.toContain('tool_progress');
      expect(silent).toContain('tool_result');
    });
  });

  describe('debug', () => {
    let attempts = 0;
    const noted = reads('noted', (_input, ctx) => {
      ctx.debug({ upstream_status: 200, api_key: 'canary-1', header: 'Bearer canary-2-abcdefgh' });
      if (++attempts === 1) throw new ToolError('NETWORK_ERROR', 'lost', 'lost', { retryAfterMs: 10 });
      return 'seen';
    });

    it('gives debug_info where it is allowed, without secrets, and only when asked', async () => {
      attempts = 0;
      await withEngine({ tools: [noted], settings: { debugInfo: true } }, async (engine) => {
        const envelope = await envelopeOf(engine, 'noted', { debug: true });
        expect(envelope.debug_info).toEqual({
          cache_hit: false,
          retry_count: 1,
          attempts: 2,
          execution_time_ms: envelope.metadata.execution_time_ms,
          worker: expect.stringContaining(String(process.pid)),
          notes: [expect.objectContaining({ upstream_status: 200 })],
        });
        expect(JSON.stringify(envelope)).not.toContain('canary');
        expect(await envelopeOf(engine, 'noted')).not.toHaveProperty('debug_info');
      });
    });

    it('is not allowed by default: the envelope says so, and says nothing else', async () => {
      attempts = 1;
      await withEngine({ tools: [noted] }, async (engine) => {
        const envelope = await envelopeOf(engine, 'noted', { debug: true });
        expect(envelope).toMatchObject({ success: true, metadata: { debug: 'not_allowed' } });
        expect(envelope).not.toHaveProperty('debug_info');
        expect((await envelopeOf(engine, 'noted')).metadata).not.toHaveProperty('debug');
      });
    });

    it('tells of a destructive call too, and cuts notes that are too many', async () => {
      const pay = pays('pay', [], {
        run: (_input: unknown, ctx: any) => {
          for (let index = 0; index < 100; index++) ctx.debug({ index, text: 'x'.repeat(1000) });
          return 'paid';
        },
      });
      const setup = { tools: [pay], agent: { permissions: { allow: ['pay'] } }, settings: { debugInfo: true } };
      await withEngine(setup, async (engine) => {
        const { debug_info } = await envelopeOf(engine, 'pay', { debug: true }, { invoice: 'INV-7', cents: 7 });
        expect(debug_info).toMatchObject({ attempts: 1, retry_count: 0 });
        expect(debug_info!.notes.at(-1)).toEqual({ cut: expect.stringMatching(/^\d+ more notes$/) });
        expect(JSON.stringify(debug_info).length).toBeLessThan(40_000);
      });
    });
  });
});
