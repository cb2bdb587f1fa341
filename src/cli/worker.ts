import type { Command } from 'commander';
import { configWith, dataOption, type DataOption } from './support/data-option';
import { EXIT, Exit } from './support/exit';
import type { Output } from './support/output';
import { liveToParent } from '../live/outbox';
import { untilStopped } from './support/until-stopped';

export function worker(program: Command, output: () => Output): void {
  program
    .command('worker')
    .description(
      'One worker process. SIGTERM lets running calls end, up to HOLDFAST_DRAIN_SECONDS; a second one ends it at once.',
    )
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .addOption(dataOption())
    .action(async ({ app: file, ...options }: { app?: string } & DataOption) => {
      const config = configWith(options);
      // Loaded only here: the SDK's worker takes longer than all that the other commands do.
      const [{ startWorker }, { appOf }] = await Promise.all([import('../worker-process.js'), import('./support/app.js')]);
      const embedded = process.send !== undefined;
      // A worker by itself has a shell only if somebody has named the folder for it.
      const app = await appOf(config, file, { showcase: embedded || config.workspace !== null });
      const running = await startWorker(config, app, embedded ? liveToParent() : null, file);
      const { taskQueue, ...facts } = running.facts;
      const { agents, model, temporal, deployment, notice } = facts;
      // An app file brings its own tools: what they read is not ours to say.
      const data = file === undefined ? { data: config.data } : {};
      const line = `worker ${process.pid}: ${agents.join(', ')} on ${temporal}, task queue ${taskQueue}${deployment === null ? '' : `, version ${deployment}`}; model: ${model}${data.data ? `; data: ${data.data}` : ''}`;
      // Beside the embedded stack, standard output belongs to the stack's own answer.
      const lines = notice === null ? [line] : [line, notice];
      if (embedded) process.stderr.write(lines.map((text) => `${text}\n`).join(''));
      else output().answer({ pid: process.pid, ...facts, task_queue: taskQueue, ...data }, lines);
      // A terminal's Ctrl-C reaches the embedded stack too, which then stops us: it must not count as a second signal.
      const stopped = embedded ? untilStopped(['SIGTERM'], ['SIGINT', 'SIGHUP']) : untilStopped();
      process.send?.({ ready: true });
      // The embedded stack holds the other end: when it is gone, however it went, so is this worker.
      const orphaned = embedded ? new Promise((resolve) => process.once('disconnect', resolve)) : new Promise(() => undefined);
      await Promise.race([stopped, orphaned, running.finished]);
      const { in_time } = await running.stop();
      if (process.connected) process.disconnect();
      if (!in_time) throw new Exit(EXIT.failed);
    });
}
