import * as fc from 'fast-check';
import { canonical } from '../../../../src/shared/json/canonical';
import { type Envelope, callError } from '../../../../src/shared/wire/errors';
import type { ErrorCode } from '../../../../src/shared/wire/error-codes';
import { ToolError, nextRetry, type RetryCounts } from '../../../../src/tools/define/errors';
import { Deadline } from '../../../../src/tools/run/deadline';
import { runTool } from '../../../../src/tools/run/run';
import { resultText, storedResult } from '../../../../src/tools/results/result-text';
import { toJson } from '../../../../src/tools/results/to-json';
import { toolContext } from '../../../support/tool-context';
import { pays, reads } from '../../../support/tools';
import type { Tool } from '../../../../src/tools/define/tool';

function run(tool: Tool, timeoutMs = 1000, cancelled?: AbortSignal, progress: (message: string) => void = () => undefined) {
  return runTool(tool, { key: 'k', invoice: 'INV-7', cents: 1 }, toolContext({ progress }), {
    timeoutMs,
    ...(cancelled ? { cancelled } : {}),
  });
}

describe('running a tool', () => {
  it('returns the value of an async function or a generator, with the progress that it yields', async () => {
    const said: string[] = [];
    const generator = reads('steps', async function* () {
      yield { message: 'half', fraction: 0.5 };
      return { done: true };
    });
    expect(await run(generator, 1000, undefined, (message) => said.push(message))).toEqual({ ok: true, data: { done: true } });
    expect(said).toEqual(['half']);
  });

  it('turns any thrown value into one error of the table', async () => {
    const thrown: [unknown, ErrorCode, string][] = [
      [new ToolError('RATE_LIMITED', 'slow_down', 'wait', { retryAfterMs: 7 }), 'RATE_LIMITED', 'slow_down'],
      [new Error('boom'), 'EXECUTION_ERROR', 'tool_crashed'],
      ['text', 'EXECUTION_ERROR', 'tool_crashed'],
      [undefined, 'EXECUTION_ERROR', 'tool_crashed'],
    ];
    for (const [error, code, reason] of thrown) {
      const result = await run(reads('bad', () => { throw error; })); // oxfmt-ignore
      expect(result).toMatchObject({ ok: false, error: { code, reason } });
    }
  });

  it('logs an exception with its stack, and tells the model its text without secrets; a ToolError is not logged as a fault', async () => {
    const lines: [object, string | undefined][] = [];
    const log = { ...toolContext().log, error: (fields: object, message?: string) => void lines.push([fields, message]) };
    const crashes = (error: Error) =>
      runTool(reads('bad', () => { throw error; }), {}, toolContext({ log }), { timeoutMs: 1000 }); // oxfmt-ignore
    await crashes(new ToolError('NETWORK_ERROR', 'x', 'x'));
    expect(lines).toEqual([]);

    const result = await crashes(new Error('no answer from https://bank:hunter22@bank.example/pay'));
    expect(result).toMatchObject({ error: { message: 'bad failed: no answer from https://[credentials]@bank.example/pay' } });
    expect(lines).toEqual([
      [expect.objectContaining({ tool: 'bad', todo: expect.any(String) as string }), 'a tool threw an exception'],
    ]);
    const { err } = lines[0]![0] as { err: { stack: string } };
    expect(err.stack).toContain('run.test.ts');
    expect(JSON.stringify(err)).not.toContain('hunter22');
  });

  it('knows which failures prove that nothing happened', async () => {
    const nothing = async (error: unknown) => {
      const result = await run(pays('pay', [], { run: () => { throw error; } })); // oxfmt-ignore
      return !result.ok && result.nothingHappened;
    };
    expect(await nothing(new ToolError('PERMISSION_DENIED', 'x', 'x'))).toBe(true);
    expect(await nothing(new ToolError('NETWORK_ERROR', 'x', 'x', { nothingHappened: true }))).toBe(true);
    expect(await nothing(new ToolError('NETWORK_ERROR', 'x', 'x'))).toBe(false);
    expect(await nothing(new ToolError('TIMEOUT', 'x', 'x'))).toBe(false);
    expect(await nothing(new ToolError('EXECUTION_ERROR', 'x', 'x'))).toBe(false);
    expect(await nothing(new Error('x'))).toBe(false);
  });

  describe('with a deadline', () => {
    afterEach(() => jest.restoreAllMocks());

    /** As if the machine had been suspended: the timers do not count that time. */
    const later = (ms: number) => {
      const now = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
    };
    /** Blocks in the middle of a function: no timer fires. */
    const standStill = (ms: number) => {
      for (const until = performance.now() + ms; performance.now() < until;);
    };

    it('tells the tool when that is', async () => {
      const told: number[] = [];
      const before = Date.now();
      await run(
        reads('when', (_input, ctx) => void told.push(ctx.deadline)),
        5000,
      );
      expect(told[0]).toBeGreaterThanOrEqual(before + 5000);
      expect(told[0]).toBeLessThanOrEqual(Date.now() + 5000);
    });

    it('ends the tool by either clock: a suspended machine stops one, and the other may be set back', async () => {
      const waits = reads(
        'waits',
        (_input, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      );
      setTimeout(() => later(60_000), 100);
      const began = performance.now();
      expect(await run(waits, 20_000)).toMatchObject({ ok: false, error: { code: 'TIMEOUT', reason: 'timeout' } });
      expect(performance.now() - began).toBeLessThan(15_000);
      jest.restoreAllMocks();
      setTimeout(() => later(-60_000), 100);
      expect(await run(waits, 500)).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    });

    it('aborts its signal at once, before any timer: for every way to read it, and for everybody who holds it', async () => {
      const said: unknown[] = [];
      const acts = pays('acts', [], {
        async run(_input: unknown, { signal }: { signal: AbortSignal }) {
          const asked = AbortSignal.any([signal]);
          standStill(300);
          expect(() => signal.throwIfAborted()).toThrow('Timed out after 100 ms');
          said.push(signal.aborted, asked.aborted, AbortSignal.any([signal]).aborted, signal.reason.name);
          await fetch('http://127.0.0.1:1', { signal }).catch((error: Error) => said.push(error.name));
        },
      });
      await run(acts, 100);
      expect(said).toEqual([true, true, true, 'TimeoutError', 'TimeoutError']);
    });

    it('does not run it at all once the latest time to begin has passed', async () => {
      const effects: unknown[] = [];
      const begins = Deadline.in(50);
      standStill(60);
      const result = await runTool(pays('pay', effects), {}, toolContext(), { timeoutMs: 1000, begins });
      expect(result).toMatchObject({ ok: false, error: { code: 'TIMEOUT', reason: 'begun_too_late' }, nothingHappened: true });
      expect(effects).toEqual([]);
    });

    it('has a deadline that passes by either clock', () => {
      const deadline = Deadline.in(1000);
      expect(deadline.hasPassed).toBe(false);
      later(2000);
      expect(deadline.hasPassed).toBe(true);
      jest.restoreAllMocks();
      later(-2000);
      expect(deadline.remainingMs).toBeLessThanOrEqual(1000);
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 2000);
      expect(deadline.hasPassed).toBe(true);
    });
  });

  it('throws a cancellation on, even if the tool answers it with an error of its own', async () => {
    const abort = new AbortController();
    const running = run(
      reads(
        'long',
        (_input, ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('mine')))),
      ),
      5000,
      abort.signal,
    );
    const reason = new Error('cancelled');
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it('keeps what a destructive tool did, even if its answer is not JSON', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(await run(pays('pay', [], { run: () => circular }))).toMatchObject({ ok: true });
    expect(await run(reads('get', () => circular))).toMatchObject({ ok: false, error: { reason: 'result_not_json' } });
  });
});

describe('results as JSON', () => {
  it('can always be hashed', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, maxDepth: 4 }), (value) => {
        const json = toJson(value);
        if (json.ok) canonical(json.data);
      }),
    );
  });

  it('have integers beyond a double’s precision as text', () => {
    expect(toJson({ a: 2 ** 60, b: 12n, c: 1.5 })).toEqual({ ok: true, data: { a: '1152921504606846976', b: '12', c: 1.5 } });
  });
});

describe('retries', () => {
  const after = (code: ErrorCode, counts: RetryCounts = {}, wait?: number) =>
    nextRetry('read', counts, callError(code, 'x', 'x', wait === undefined ? {} : { retry_after_ms: wait }));

  it('are counted for each code separately', () => {
    expect(after('NETWORK_ERROR')).toEqual({ delayMs: 500, counts: { NETWORK_ERROR: 1 } });
    expect(after('NETWORK_ERROR', { NETWORK_ERROR: 2, TIMEOUT: 2 })).toEqual({
      delayMs: 2000,
      counts: { NETWORK_ERROR: 3, TIMEOUT: 2 },
    });
    expect(after('NETWORK_ERROR', { NETWORK_ERROR: 3 })).toBeNull();
    expect(after('TIMEOUT', { TIMEOUT: 2 })).toBeNull();
    expect(after('RATE_LIMITED', { RATE_LIMITED: 9 }, 1234)).toMatchObject({ delayMs: 1234 });
    expect(after('RATE_LIMITED', { RATE_LIMITED: 10 }, 1)).toBeNull();
  });

  it('do not happen if they cannot help, nor for compute and destructive tools', () => {
    for (const code of [
      'INVALID_PARAMS',
      'PERMISSION_DENIED',
      'QUOTA_EXCEEDED',
      'EXECUTION_ERROR',
      'RESOURCE_NOT_FOUND',
    ] as const) {
      expect(after(code)).toBeNull();
    }
    for (const toolClass of ['compute', 'destructive'] as const) {
      expect(nextRetry(toolClass, {}, callError('NETWORK_ERROR', 'x', 'x'))).toBeNull();
    }
  });
});

describe('shaping', () => {
  const metadata = {
    tool_name: 'get',
    tool_version: '1.0.0',
    execution_time_ms: 1,
    timestamp: '',
    trace_id: '',
    performance: { validation_ms: 0, network_ms: 0, processing_ms: 1 },
    cache: { hit: false },
  };
  const envelope = (data: string): Envelope => ({ success: true, status: 'success', data, metadata });
  const owner = { turn_id: 't', session_id: null, call_id: '1.1' };
  const tool = reads('get', () => null);

  it('gives up to 2048 bytes whole, and of a larger result the beginning, a summary and a reference', () => {
    const fits = storedResult(tool, {}, envelope('é'.repeat(1023)), owner);
    const large = storedResult(tool, {}, envelope('é'.repeat(1024)), owner);
    expect(JSON.parse(resultText('ref', fits, null))).toEqual({ success: true, data: 'é'.repeat(1023) });
    expect(JSON.parse(resultText('ref', large, null)).data).toMatchObject({
      ref: 'ref',
      bytes: 2050,
      text: `"${'é'.repeat(1023)}`,
      next_offset: 1024,
      hint: expect.stringContaining('read_result {"ref": "ref", "offset": 1024'),
    });
    expect(large.summary.length).toBeLessThan(400);
  });

  it('gives as many bytes as the tool allows', () => {
    const generous = storedResult(
      reads('get', () => null, { maxInlineBytes: 5000 }),
      {},
      envelope('a'.repeat(9000)),
      owner,
    );
    expect(JSON.parse(resultText('ref', generous, null)).data).toMatchObject({ text: `"${'a'.repeat(4999)}`, next_offset: 5000 });
  });

  it("survives an author's summary that crashes", () => {
    const crashes = reads('get', () => null, { summarize: () => { throw new Error('x'); } }); // oxfmt-ignore
    expect(storedResult(crashes, {}, envelope('a'), owner).summary).toBe('"a"');
  });
});
