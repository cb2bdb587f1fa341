/**
 * Logs which tool blocked the worker's event loop, and for how long: meanwhile no heartbeat of any call is sent. A timer that is
 * late shows the block. The cause is one of the tools that were running, so all of them are named.
 */
import type { Running } from '../telemetry/running';
import type { ToolLogger } from '../tools/define/tool';

const TICK_MS = 200;
/** Shorter blocks are not logged: a tenth of the heartbeat timeout. */
const BLOCKED_MS = 1000;

const TODO =
  'A tool computes on the thread that sends heartbeats. After 10 s without one, other calls count as lost. Let the tool await now and then, or compute in a worker thread or process of its own.';

/**
 * Watches until `ended` returns true; keeps no process alive.
 * @returns a function that ends it
 */
export function watchEventLoop(running: Running, log: ToolLogger, hasEnded: () => boolean = () => false): () => void {
  let last = performance.now();
  let cpu = process.cpuUsage();
  const look = () => {
    const now = performance.now();
    const blocked_ms = Math.round(now - last - TICK_MS);
    const { user, system } = process.cpuUsage(cpu);
    const cpu_ms = Math.round((user + system) / 1000);
    // Without CPU time, the machine or the process was suspended, and no tool is to blame.
    if (blocked_ms >= BLOCKED_MS && cpu_ms >= blocked_ms / 10) {
      log.warn({ blocked_ms, cpu_ms, tools: running.toolsSince(last), todo: TODO }, 'the worker was blocked');
    }
    last = performance.now();
    cpu = process.cpuUsage();
    running.forget();
    if (hasEnded()) clearInterval(timer);
  };
  const timer = setInterval(look, TICK_MS).unref();
  return () => clearInterval(timer);
}
