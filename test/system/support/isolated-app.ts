/** An app whose tools run in threads, and the same tools without. Threads load this file. */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { binaryFile } from '../../../src/tools/results/result-files';
import { defineTool } from '../../../src/tools/define/define';
import { ToolError } from '../../../src/tools/define/errors';
import type { Tool, ToolContext } from '../../../src/tools/define/tool';

const input = z.object({ text: z.string().default('') });
type Input = z.output<typeof input>;

async function* tellsAll({ text }: Input, ctx: ToolContext) {
  yield { message: 'begun', fraction: 0.5 };
  ctx.progress('half');
  ctx.log.info({ text, left_out: () => 1 }, 'a line');
  ctx.debug({ seen: text });
  const ref = await ctx.store.keepResult({ kept: text });
  const { reason } = await ctx.store.readResult('none').then(
    () => ({ reason: 'found' }),
    (error: ToolError) => error.detail,
  );
  const cursor = ctx.cursors.seal({ at: text });
  const forged = () => ctx.cursors.open('forged') as never;
  return {
    facts: [ctx.idempotencyKey, ctx.attempt, ctx.traceId, ctx.principal, ctx.deadline > Date.now(), ctx.signal.aborted],
    kept: await ctx.store.readResult(ref),
    reason,
    position: ctx.cursors.open(cursor),
    forged: await Promise.resolve()
      .then(forged)
      .catch((error: ToolError) => error.detail.reason),
    network: await ctx.network(() => sleep(50, 'answer')),
    large: 12345678901234567890n,
    nothing: undefined,
    date: new Date(0),
    file: binaryFile({ filename: 'a.txt', contentType: 'text/plain', bytes: Buffer.from(text) }),
  };
}

const RUNS: Record<string, (given: Input, ctx: ToolContext) => unknown> = {
  tells_all: tellsAll,
  refuses: () => {
    throw new ToolError('RATE_LIMITED', 'too_often', 'Not now.', { hint: 'Later.', retryAfterMs: 77, nothingHappened: false });
  },
  crashes: () => {
    throw Object.assign(new Error('it broke'), { call: () => 1 }); // such an error cannot be copied
  },
  crashes_oddly: () => {
    throw 'a text';
  },
  goes_round: () => {
    const round: Record<string, unknown> = {};
    return (round.round = round);
  },
  heeds_signal: async (_given, ctx) => {
    ctx.progress('waits');
    await sleep(60_000, null, { signal: ctx.signal });
  },
  heeds_nothing: (_given, ctx) => {
    ctx.progress('waits');
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  spins: (_given, ctx) => {
    ctx.progress('spins');
    for (;;);
  },
  fills: () => {
    for (const kept = []; ;) kept.push(Array.from({ length: 1000 }, (_, i) => `${kept.length} ${i}`));
  },
  exits: () => process.exit(0),
  tells_without_end: (_given, ctx) => {
    for (let n = 0; ; n++) ctx.progress(`line ${n}`);
  },
  logs_without_end: (_given, ctx) => {
    const fields = { text: 'x'.repeat(10_000) };
    for (;;) ctx.log.info(fields, 'a line');
  },
  notes_without_end: (_given, ctx) => {
    const text = 'x'.repeat(10_000);
    for (;;) ctx.debug({ text });
  },
  asks_without_end: (_given, ctx) => {
    for (;;) void ctx.store.readResult('none').catch(() => undefined);
  },
  times_without_end: (_given, ctx) => {
    for (;;) void ctx.network(() => new Promise(() => undefined));
  },
};

const made = (isolate: boolean): Tool[] => [
  ...Object.entries(RUNS).map(([name, run]) =>
    defineTool({ name, version: '1.0.0', class: 'read', description: `It ${name}.`, input, isolate, run }),
  ),
  ...(['spins', 'fills', 'exits'] as const).map((what) =>
    defineTool({
      name: `pays_and_${what}`,
      version: '1.0.0',
      class: 'destructive',
      description: 'Pays, and does not come back.',
      input,
      isolate,
      timeoutMs: 4000,
      run: (given, ctx) => {
        appendFileSync(given.text, 'paid\n');
        return RUNS[what]!(given, ctx);
      },
    }),
  ),
];

/** Its preview and its probe know nothing on the worker's thread; for the text `spins` they do not end. */
export const looks = defineTool({
  name: 'looks',
  version: '1.0.0',
  class: 'destructive',
  description: 'Ends its thread; only its probe knows what came of it.',
  input,
  isolate: true,
  timeoutMs: 4000,
  preview: ({ text }) => {
    while (text === 'spins');
    if (isMainThread) throw new Error('It is asked on the worker’s thread.');
    return 'Ends its thread.';
  },
  reconcile: ({ text }) => {
    while (text === 'spins');
    return isMainThread ? 'unknown' : 'applied';
  },
  run: () => process.exit(0),
});

/** Its schema turns texts into numbers; each function returns what it was given, and where. */
const given = ({ cents }: { cents: number }) => ({ after: cents + 1, in_thread: !isMainThread });
export const converts = defineTool({
  name: 'converts',
  version: '1.0.0',
  class: 'destructive',
  description: 'Pays so many cents.',
  input: z.object({ cents: z.string().transform(Number) }),
  isolate: true,
  preview: given,
  reconcile: (input) => ({ outcome: 'applied', evidence: JSON.stringify(given(input)) }),
  run: given,
});

/** Its call ends later: its poll knows how, in a thread only. */
const endsLater = defineTool({
  name: 'ends_later',
  version: '1.0.0',
  class: 'destructive',
  description: 'Hands its work over.',
  input,
  isolate: true,
  run: (_given, ctx) => ctx.later({ expiresMs: 60_000, poll: { everyMs: 1000 } }),
  poll: () => (isMainThread ? 'pending' : { result: { ended: 'in a thread' } }),
});

export const plainTools = made(false);
export const isolatedTools = [...made(true), looks, converts, endsLater];
export default defineApp({ agents: [defineAgent({ name: 'test', prompt: 'p', tools: isolatedTools })] });
