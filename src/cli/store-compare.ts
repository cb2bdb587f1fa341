/** `holdfast store compare`: after a restore, what the restored state does not know. */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { Comparison } from '../audit/archive/unknown-calls';
import { loadConfig } from '../config';
import { openBundleArchive } from './support/bundle-archive';
import { Exit, EXIT } from './support/exit';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

/** A turn that runs, as far as Temporal knows. */
interface RunningTurn {
  turn_id: string;
  agent: string;
  state: string;
  /** ISO 8601: what it did later is not known. */
  last_event_at: string;
}

export function compareCommand(store: Command, output: () => Output): void {
  store
    .command('compare')
    .description(
      'After a restore to an earlier time: lists running turns, and what kept bundles and logs of workers say that the restored store does not know. Ends with 1 if there is such a thing (docs/deployment.md).',
    )
    .option('--log <file...>', 'the log of a worker: JSON lines')
    .action(async ({ log: logs = [] }: { log?: string[] }) => {
      const config = loadConfig();
      const archive = config.bundles === null ? null : await openBundleArchive(config);
      const [{ compareWithStore }, { openStoreOf }] = await Promise.all([
        import('../audit/archive/unknown-calls.js'),
        import('../store/open-store.js'),
      ]);
      const opened = await openStoreOf(config);
      try {
        const compared = await compareWithStore(opened, archive, logs);
        const running = await withClient(({ temporal }) => runningTurns(temporal));
        output().answer({ running, ...compared }, linesOf(running, compared));
        if (compared.calls.length > 0 || compared.bundles.length > 0) throw new Exit(EXIT.failed);
      } finally {
        await opened.close();
      }
    });
}

async function runningTurns(temporal: Client): Promise<RunningTurn[]> {
  const { summaryOf, turnQuery } = await import('../client/turns/listing.js');
  const found: RunningTurn[] = [];
  for await (const info of temporal.workflow.list({ query: `${turnQuery({})} AND ExecutionStatus = 'Running'` })) {
    const { turn_id, workflow_id, agent, state } = summaryOf(info, null);
    found.push({ turn_id, agent, state, last_event_at: await lastEvent(temporal, workflow_id) });
  }
  return found;
}

async function lastEvent({ connection, options }: Client, workflowId: string): Promise<string> {
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const { seconds, nanos } = history!.events![0]!.eventTime!;
  return new Date(Number(seconds) * 1000 + Math.floor((nanos ?? 0) / 1e6)).toISOString();
}

function linesOf(running: RunningTurn[], { calls, bundles, read }: Comparison): string[] {
  return [
    `running turns: ${running.length}; what they did after their last event is not known here`,
    ...running.map(
      ({ turn_id, agent, state, last_event_at: at }) => `  ${at} ${turn_id.padEnd(34)} ${state.padEnd(18)} ${agent}`,
    ),
    `calls of which the store knows less than ${read.bundles} bundles and ${read.log_lines} lines of logs: ${calls.length}`,
    ...calls.map(
      ({ at, turn_id, digest, tool, state, from }) => `  ${at} ${turn_id.padEnd(34)} ${digest} ${tool}: ${state} (${from})`,
    ),
    `bundles of turns whose end the store does not know: ${bundles.length}`,
    ...bundles.map(({ name }) => `  ${name}`),
    ...(calls.length > 0 ? ['Deny these calls before somebody approves them again, or cancel their turns.'] : []),
  ];
}
