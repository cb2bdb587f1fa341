/**
 * Says which tool held the worker's thread, and for how long: while it does, no heartbeat of any call goes out. A timer that
 * comes late shows that; whose fault it was follows from what was under way, so that where several were, all are named.
 */
import type { Running } from '../telemetry/running';
import type { ToolLogger } from '../tools/define/tool';

const TICK_MS = 200;
/** From here on it is worth a line: a tenth of the heartbeat timeout. */
const BLOCKED_MS = 1000;

const TODO =
  'A tool computes on the thread that sends heartbeats; beyond 10 s, calls of others are taken for dead. Have it wait (await) now and then, or compute in a worker thread or process of its own.';

/**
 * Watches until `ended` says so; holds no process.
 * @returns ends it before
 */
export function watchEventLoop(running: Running, log: ToolLogger, ended: () => boolean = () => false): () => void {
  let last = performance.now();
  let cpu = process.cpuUsage();
  const look = () => {
    const now = performance.now();
    const blocked_ms = Math.round(now - last - TICK_MS);
    const { user, system } = process.cpuUsage(cpu);
    const cpu_ms = Math.round((user + system) / 1000);
    // Without work of the processor, the machine or the process stood still, and no tool is to blame.
    if (blocked_ms >= BLOCKED_MS && cpu_ms >= blocked_ms / 10) {
      log.warn({ blocked_ms, cpu_ms, tools: running.toolsSince(last), todo: TODO }, 'the worker was blocked');
    }
    last = performance.now();
    cpu = process.cpuUsage();
    running.forget();
    if (ended()) clearInterval(timer);
  };
  const timer = setInterval(look, TICK_MS).unref();
  return () => clearInterval(timer);
}
