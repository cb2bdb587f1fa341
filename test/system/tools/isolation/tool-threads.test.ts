/** The input and the outcome of a tool are the same whether it runs on the worker's thread or in one of its own. */
import { join } from 'node:path';
import { pino } from 'pino';
import { Deadline } from '../../../../src/tools/run/deadline';
import { endThreads } from '../../../../src/tools/isolation/pool';
import { ToolThreads, type ReadyThread } from '../../../../src/tools/isolation/tool-threads';
import { runTool, type RunResult } from '../../../../src/tools/run/run';
import { converts, isolatedTools, plainTools } from '../../support/isolated-app';
import { toolContext } from '../../../support/tool-context';
import type { Tool, ToolContext } from '../../../../src/tools/define/tool';

const appModule = join(__dirname, '../../support/isolated-app.ts');
const threads = new ToolThreads(appModule, { threads: 2 });
const never = new AbortController().signal;

afterAll(() => endThreads());

const named = (name: string, tools: Tool[]) => tools.find((tool) => tool.name === name)!;
const ready = (tool: Tool, owner = 'ana'): Promise<ReadyThread> => threads.ready('test', tool, owner, never);

interface Seen {
  result?: RunResult;
  thrown?: unknown;
  told: unknown[];
}

type Way = (name: string, ctx: ToolContext, limits: { timeoutMs: number; cancelled?: AbortSignal }) => Promise<RunResult>;

const keepFile = async ({ filename, contentType, bytes }: { filename: string; contentType: string; bytes: Uint8Array }) => ({
  filename,
  content_type: contentType,
  size: bytes.length,
  sha256: '',
  ref: '',
  content_base64: Buffer.from(bytes).toString('base64'),
});

const WAYS: Record<string, Way> = {
  'on the worker’s thread': (name, ctx, limits) =>
    runTool(named(name, plainTools), { text: 'hello' }, ctx, { ...limits, keepFile }),
  'in a thread of its own': async (name, ctx, limits) => {
    const tool = named(name, isolatedTools);
    const thread = await ready(tool);
    return runTool(tool, { text: 'hello' }, ctx, { ...limits, keepFile, run: (...given) => thread.run(...given) });
  },
};

async function seen(way: Way, name: string, cancel: 'when it waits' | null = null): Promise<Seen> {
  const told: unknown[] = [];
  const cancels = new AbortController();
  const log = (fields: { text?: string }, message?: string) => void told.push(['log', fields.text, message]);
  const ctx = toolContext({
    log: { ...pino({ enabled: false }), debug: log, info: log, warn: log, error: log },
    progress: (...said) => {
      told.push(['progress', ...said.filter((one) => one !== undefined)]);
      if (cancel !== null) cancels.abort(new Error('given up'));
    },
    debug: (fields) => void told.push(['debug', fields]),
    network: async (work) => {
      told.push('network begins');
      const answer = await work();
      told.push('network ends');
      return answer;
    },
  });
  try {
    return { result: await way(name, ctx, { timeoutMs: 20_000, ...(cancel ? { cancelled: cancels.signal } : {}) }), told };
  } catch (error) {
    return { thrown: (error as Error).message, told };
  }
}

const EXPECTED: Record<string, { cancel?: 'when it waits'; seen: object }> = {
  tells_all: {
    seen: {
      told: [
        ['progress', 'begun', 0.5],
        ['progress', 'half'],
        ['log', 'hello', 'a line'],
        ['debug', { seen: 'hello' }],
        'network begins',
        'network ends',
      ],
      result: {
        ok: true,
        data: {
          facts: ['hf_test', 1, 'trace_20261121_000000000000', 'test', true, false],
          kept: { kept: 'hello' },
          reason: 'unknown_ref',
          position: { at: 'hello' },
          forged: 'bad_cursor',
          network: 'answer',
          large: '12345678901234567890',
          date: '1970-01-01T00:00:00.000Z',
          file: { filename: 'a.txt', content_base64: 'aGVsbG8=' },
        },
      },
    },
  },
  refuses: {
    seen: {
      result: {
        ok: false,
        nothingHappened: false,
        error: { code: 'RATE_LIMITED', reason: 'too_often', message: 'Not now.', hint: 'Later.', retry_after_ms: 77 },
      },
    },
  },
  crashes: { seen: { result: { ok: false, error: { reason: 'tool_crashed', message: 'crashes failed: it broke' } } } },
  crashes_oddly: { seen: { result: { ok: false, error: { reason: 'tool_crashed', message: 'crashes_oddly failed: a text' } } } },
  goes_round: {
    seen: { result: { ok: false, error: { reason: 'result_not_json', message: expect.stringContaining('circular') } } },
  },
  heeds_signal: { cancel: 'when it waits', seen: { thrown: 'given up', told: [['progress', 'waits']] } },
};

describe.each(Object.entries(WAYS))('%s', (_way, way) => {
  it.each(Object.entries(EXPECTED))('a tool that %s', async (name, { cancel, seen: expected }) => {
    expect(await seen(way, name, cancel ?? null)).toMatchObject(expected);
  });

  it('a cancelled tool that heeds its signal is over at once', async () => {
    await seen(way, 'crashes'); // a thread is there
    const began = Date.now();
    await seen(way, 'heeds_signal', 'when it waits');
    expect(Date.now() - began).toBeLessThan(4000);
  });
});

it.each([
  ['run', { after: 13, in_thread: true }],
  ['preview', { after: 13, in_thread: true }],
  ['reconcile', { outcome: 'applied', evidence: '{"after":13,"in_thread":true}' }],
] as const)('%s of a tool gets the input as its zod schema has parsed it, in the thread', async (part, data) => {
  const thread = await threads.ready('test', converts, 'ana', never, part);
  const looks = { ...converts, class: 'read' as const };
  const run: ReadyThread['run'] = (...given) => thread.run(...given);
  expect(await runTool(looks, { cents: '12' }, toolContext(), { timeoutMs: 20_000, run })).toEqual({ ok: true, data });
});

it('a cancelled tool that ignores its signal is ended with its thread after a grace period', async () => {
  const tool = named('heeds_nothing', isolatedTools);
  const thread = await ready(tool);
  let ran: Promise<unknown> | undefined;
  const cancels = new AbortController();
  const ctx = toolContext({ progress: () => cancels.abort(new Error('given up')) });
  const run: ReadyThread['run'] = (...given) => (ran = thread.run(...given));
  await expect(runTool(tool, { text: '' }, ctx, { timeoutMs: 60_000, cancelled: cancels.signal, run })).rejects.toThrow(
    'given up',
  );
  await expect(ran).rejects.toThrow('aborted');
});

it('a tool whose deadline has passed before it begins does not run', async () => {
  const tool = named('spins', isolatedTools);
  const thread = await ready(tool);
  const limits = { deadline: Deadline.in(0), timeoutMs: 1 };
  await expect(thread.run({ text: '' }, toolContext(), limits)).rejects.toMatchObject({ nothingHappened: true });
});

it('a tool that no thread can load has certainly not run', async () => {
  const gone = { ...named('spins', isolatedTools), version: '9.0.0' };
  await expect(ready(gone)).rejects.toMatchObject({ nothingHappened: true, detail: { reason: 'app_not_loaded' } });
});

it('a call that waits for a thread can give up, and others get the thread', async () => {
  const one = new ToolThreads(appModule, { threads: 1 });
  const first = await one.ready('test', isolatedTools[0]!, 'ana', never);
  await expect(one.ready('test', isolatedTools[0]!, 'ben', AbortSignal.timeout(100))).rejects.toThrow();
  first.leave();
  (await one.ready('test', isolatedTools[0]!, 'cleo', never)).leave();
});
