/** Cancels a tool's run midway, and measures how long it goes on. */
import { invoke } from '../tools/run/run';
import type { Bench } from './bench';
import { contextFor, newKey } from './context';

/** The engine waits no longer than this for a cancelled tool. */
const CANCEL_MS = 5000;

/**
 * Cancels a run midway.
 * @returns ms until it ended, 0 if it had ended before; null: it went on for longer than it may
 */
export async function cancelledAfter(bench: Bench): Promise<number | null> {
  const { tool, test, runMs } = bench;
  const abort = new AbortController();
  const context = { ...contextFor(tool.name, newKey()), signal: abort.signal, deadline: Date.now() + bench.timeoutMs };
  let endedAt: number | null = null;
  const note = () => void (endedAt = Date.now());
  const running = invoke(tool, await bench.input(), context).then(note, note);
  await sleep(runMs / 2);
  const abortedAt = Date.now();
  if (endedAt !== null) return 0;
  abort.abort(new DOMException('testTool cancels this run', 'AbortError'));
  await Promise.race([running, sleep(test.cancelMs ?? CANCEL_MS)]);
  return endedAt === null ? null : endedAt - abortedAt;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
