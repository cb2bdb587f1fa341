/** `holdfast worker`: runs one worker process. */
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
      // Loaded only here: the SDK's worker takes longer to load than everything that the other commands use.
      const [{ startWorker }, { appOf }] = await Promise.all([import('../worker-process.js'), import('./support/app.js')]);
      const isEmbedded = process.send !== undefined;
      // A stand-alone worker has the agent with a shell only if its folder is configured.
      const app = await appOf(config, file, { showcase: isEmbedded || config.workspace !== null });
      const running = await startWorker(config, app, isEmbedded ? liveToParent() : null, file);
      const { taskQueue, ...facts } = running.facts;
      const { agents, schedules = [], model, temporal, deployment, notice } = facts;
      // An app file brings its own tools, so their data source is not known here.
      const data = file === undefined ? { data: config.data } : {};
      const line = `worker ${process.pid}: ${agents.join(', ')} on ${temporal}, task queue ${taskQueue}${deployment === null ? '' : `, version ${deployment}`}; model: ${model}${schedules.length > 0 ? `; schedules: ${schedules.join(', ')}` : ''}${data.data ? `; data: ${data.data}` : ''}`;
      // In the embedded stack, standard output is for the stack's own answer.
      const lines = notice === null ? [line] : [line, notice];
      if (isEmbedded) process.stderr.write(lines.map((text) => `${text}\n`).join(''));
      else output().answer({ pid: process.pid, ...facts, task_queue: taskQueue, ...data }, lines);
      // A terminal's Ctrl-C also reaches the embedded stack, which then stops this worker: it must not count as a second signal.
      const stopped = isEmbedded ? untilStopped(['SIGTERM'], ['SIGINT', 'SIGHUP']) : untilStopped();
      process.send?.({ ready: true });
      // The embedded stack has the other end of the channel: when the stack is gone for any reason, this worker ends too.
      const parentExit = isEmbedded
        ? new Promise((resolve) => process.once('disconnect', resolve))
        : new Promise(() => undefined);
      await Promise.race([stopped, parentExit, running.finished]);
      const { in_time } = await running.stop();
      if (process.connected) process.disconnect();
      if (!in_time) throw new Exit(EXIT.failed);
    });
}
