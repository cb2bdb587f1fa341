/** `holdfast audit replay`: runs the workflow code over recorded histories, without executing anything. */
import { availableParallelism } from 'node:os';
import { access } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { historiesOf } from '../audit/replay/from-file';
import { replayCode } from '../audit/replay/code';
import { replayAll, type Replayable } from '../audit/replay/replay';
import { describeReplay, describeSummary, isSame, Summing, type ReplaySummary } from '../audit/replay/summary';
import type { ReplayResult } from '../audit/replay/protocol';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { Progress } from './support/progress';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';
import { optional } from '../shared/json/optional';

interface Options {
  query?: string;
  since?: string;
  limit?: number;
  code?: string;
  processes: number;
}

export function auditReplay(audit: Command, output: () => Output): void {
  audit
    .command('replay')
    .description(
      'Runs the workflow code over recorded histories and says where it would now do something else. Nothing is executed.',
    )
    .argument('[file...]', 'bundles, or histories as JSON')
    .option('--query <query>', 'histories of the server, by a visibility query: "HoldfastAgent = \'payables\'"')
    .option('--since <age>', 'histories of the server that began within: 30d, 12h, 90m')
    .option('--limit <n>', 'at most so many histories of the server', wholeNumber)
    .option('--code <file>', 'workflow-bundle.js or replay-bundle.js of another build; default: this one')
    .addOption(
      new Option('--processes <n>', 'how many replay at once')
        .argParser(wholeNumber)
        .default(availableParallelism(), 'one for each processor'),
    )
    .action(async (files: string[], options: Options) => {
      const live = options.query !== undefined || options.since !== undefined;
      if (live === files.length > 0) throw new UsageError('Give files, or --query or --since for histories of the server.');
      for (const file of files) await access(file).catch(() => Promise.reject(new UsageError(`There is no file ${file}.`)));
      const since = options.since === undefined ? undefined : ago(options.since);
      const code = await replayCode(options.code).catch((error: Error) => Promise.reject(new UsageError(error.message)));
      const report = telling(output(), code.path);
      const summing = new Summing(code);
      const replay = async (histories: AsyncIterable<Replayable>, total: number | null) => {
        const processes = total === null ? 1 : Math.max(1, Math.min(options.processes, total));
        for await (const result of until(
          replayAll(histories, { code: code.path, processes, onReady: (about) => summing.ready(about) }),
        )) {
          summing.add(result);
          report.one(result, total);
        }
      };
      if (files.length > 0) await replay(allOf(files), null);
      else
        await withClient(async (client) => {
          const { countRuns, recordedRuns } = await import('../client/recorded-runs.js');
          const { query, limit } = options;
          const about = { ...optional({ query }), ...(since ? { since } : {}), ...(limit ? { limit } : {}) };
          await replay(recordedRuns(client.temporal, about), await countRuns(client.temporal, about));
        });
      report.end(summing.sum);
      const nothing = files.length > 0 && summing.sum.same === 0;
      if (nothing || !isSame(summing.sum)) throw new Exit(EXIT.failed);
    });
}

async function* allOf(files: string[]): AsyncGenerator<Replayable> {
  for (const file of files) yield* historiesOf(file);
}

/** Yields until Ctrl-C, which ends the replaying processes and this one. */
async function* until(answers: AsyncGenerator<ReplayResult>): AsyncGenerator<ReplayResult> {
  const stopped = untilStopped().then(() => 'stopped' as const);
  for (;;) {
    const next = await Promise.race([answers.next(), stopped]);
    if (next === 'stopped') {
      void answers.return(undefined);
      throw new Exit(EXIT.interrupted);
    }
    if (next.done) return;
    yield next.value;
  }
}

/** For histories of the server, only those that are not the same are printed one by one. */
function telling(output: Output, code: string) {
  const progress = new Progress(output.json ? null : process.stderr);
  let count = 0;
  return {
    one(result: ReplayResult, total: number | null): void {
      count += 1;
      const lines = describeReplay(result).map((line) => oneLine(line, 1000));
      const quiet = total !== null && result.outcome === 'same';
      if (output.json || !quiet) {
        progress.end();
        output.answer(
          result,
          lines.map((line, index) => (index === 0 ? line : `  ${line}`)),
        );
      }
      if (total !== null) progress.show(`… ${count} of ${total}`);
    },
    end(sum: ReplaySummary): void {
      progress.end();
      if (sum.same + sum.differs + sum.cannot === 0) output.note('There is nothing to replay.');
      output.answer({ summary: sum, code_file: code }, describeSummary(sum));
    },
  };
}

function ago(text: string): Date {
  const MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (!unit)
    throw new UsageError(`--since must be a number with m, h or d, like 30d; it is ${JSON.stringify(text.slice(0, 40))}.`);
  return new Date(Date.now() - Number(count) * MS[unit]!);
}
