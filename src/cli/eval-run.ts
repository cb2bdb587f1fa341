/** `holdfast eval run`: runs a folder of cases with real models, or recorded ones, and compares with the last time. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig, type Config } from '../config';
import type { EvalCase } from '../evals/case';
import type { Plan, RunResult } from '../evals/run-all';
import type { RunOutcome, RunParts, RunTask } from '../evals/run-case';
import type { Report } from '../evals/report';
import { optional } from '../shared/json/optional';
import { errorMessage } from '../shared/text/error-message';
import { several } from './support/decide-options';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import { moreThanZero, wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { writeFileWhole } from './support/write-file';

interface Options {
  app?: string;
  case: string[];
  model: string[];
  repeat: number;
  concurrency: number;
  maxCost?: number;
  out?: string;
  baseline?: string;
  junit?: string;
  bundles?: string;
}

const NO_NAMES: string[] = [];

export function evalRun(group: Command, output: () => Output): void {
  group
    .command('run')
    .description(
      'Runs the cases of a folder, each as a turn of its own with a worker, a store and a Temporal server of this process. Exit 0: all passed; 1: one failed, or was not run; 2: bad usage.',
    )
    .argument('<folder>', 'its cases are NAME.yaml, NAME.json and NAME/case.yaml; or one case')
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--case <name>', 'only this case, or those in this folder; may be given again', several, NO_NAMES)
    .option(
      '--model <name>',
      'instead of the models of cases and agents; `recorded`: recorded answers; may be given again',
      several,
      NO_NAMES,
    )
    .option('--repeat <n>', 'how often each case runs with each model', wholeNumber, 1)
    .option('--concurrency <n>', 'how many run at once', wholeNumber, 2)
    .option('--max-cost <usd>', 'no run begins after the others have cost so many US dollars', moreThanZero)
    .option('--out <file>', 'where the results go; default: HOLDFAST_HOME/evals/FOLDER.json')
    .option('--baseline <file>', 'earlier results to compare with; default: what --out has')
    .option('--junit <file>', 'also writes the results as JUnit XML')
    .option('--bundles <folder>', 'writes the bundle of each run that fails into this folder')
    .action(async (path: string, options: Options) => {
      const out = output();
      const stop = new AbortController();
      void untilStopped().then(() => stop.abort(new Error('interrupted')));
      const { rowsWithBefore, isGood, reportLines, reportOf, withRowsOf } = await import('../evals/report.js');
      const file = options.out ?? join(loadConfig().home, 'evals', `${basename(resolve(path)).replace(/[^\w.-]/g, '-')}.json`);
      const earlier = await reportIn(options.baseline ?? file, options.baseline !== undefined);
      const results = await resultsOf(path, options, out, stop.signal);
      const report = reportOf(results, new Date());
      const isPart = stop.signal.aborted || options.case.length > 0;
      const before = earlier && isPart ? withRowsOf(report, earlier) : earlier;
      const rows = rowsWithBefore(report, before);
      const answer = { ...report, rows, results: results.map(resultView), interrupted: stop.signal.aborted };
      out.answer(answer, reportLines(report, before));
      // A part of the results is no baseline for the next time.
      if (!isPart) await write(file, `${JSON.stringify(report, null, 2)}\n`);
      if (options.junit !== undefined) {
        const { junitXml } = await import('../evals/junit.js');
        await write(options.junit, junitXml(results));
      }
      if (stop.signal.aborted) throw new Exit(EXIT.interrupted);
      if (!isGood(report)) throw new Exit(EXIT.failed);
    });
}

async function resultsOf(path: string, options: Options, out: Output, signal: AbortSignal): Promise<RunResult[]> {
  const [{ readCases }, { runAll }, { modelsOf, runCase }] = await Promise.all([
    import('../evals/case.js'),
    import('../evals/run-all.js'),
    import('../evals/run-case.js'),
  ]);
  const cases = select(readCases(path), options.case);
  const config = loadConfig();
  const { appOf } = await import('./support/app.js');
  const app = await appOf(config, options.app);
  const model = await ownModel(config);
  const parts: RunParts = {
    ...{ app, own: model && { provider: model.provider, defaultModel: model.defaultModel } },
    ...optional({ appModule: options.app, rehearsesAll: config.rehearsesAll || undefined }),
  };
  const models = options.model.length === 0 ? [null] : [...new Set(options.model)];
  const { repeat, concurrency, maxCost } = options;
  const plan: Plan = { cases, models, repeat, concurrency, signal, ...optional({ maxUsd: maxCost }) };
  if (maxCost !== undefined) {
    const { unpricedModel } = await import('../evals/costs.js');
    const unpriced = unpricedModel(plan, parts);
    if (unpriced !== null)
      throw new UsageError(
        `No price of the model ${unpriced} is known, so that --max-cost would not bind: set its prices in the app (docs/models.md), or leave the limit out.`,
      );
  }
  const runOne = async (task: RunTask) => {
    const outcome = await runCase(task, parts, signal);
    if (options.bundles !== undefined && outcome.faults.length > 0) await writeBundle(options.bundles, outcome);
    return outcome;
  };
  try {
    return await runAll(plan, {
      modelName: (task) => modelsOf(task, parts).names[0]!,
      runOne,
      onEnd: (result, count, all) => out.note(`[${count}/${all}] ${progressText(result)}`),
    });
  } finally {
    await model?.close();
  }
}

/** The model of the settings. The rehearsal answers by its own script, so it plays only for those who ask for it. */
async function ownModel(config: Config) {
  if (config.model === 'rehearsal' && !config.rehearsesAll) return null;
  const { openModel } = await import('../worker/own-model.js');
  return openModel(config);
}

/** @throws UsageError for a name that no case has */
function select(cases: EvalCase[], names: readonly string[]): EvalCase[] {
  const isOf = (one: EvalCase, name: string) => one.name === name || one.name.startsWith(`${name}/`);
  const unknown = names.find((name) => !cases.some((one) => isOf(one, name)));
  if (unknown !== undefined)
    throw new UsageError(`There is no case ${JSON.stringify(unknown)}; there are ${cases.map(({ name }) => name).join(', ')}.`);
  return names.length === 0 ? cases : cases.filter((one) => names.some((name) => isOf(one, name)));
}

function progressText({ case: name, model, repetition, faults, skipped, costUsd, durationMs }: RunResult): string {
  const which = `${oneLine(name)}, ${oneLine(model)}, run ${repetition}`;
  if (skipped !== null) return `${which}: not run. ${skipped}`;
  const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
  const end = faults.length === 0 ? 'passed' : `FAILED: ${oneLine(faults[0]!, 300)}`;
  return `${which}: ${(durationMs / 1000).toFixed(1)} s, ${cost}: ${end}`;
}

function resultView({ costUsd, durationMs, ...result }: RunResult) {
  return { ...result, passed: result.skipped === null && result.faults.length === 0, cost_usd: costUsd, ms: durationMs };
}

/** @returns null: there is none. @throws UsageError for one that was named, and cannot be read */
async function reportIn(file: string, wasNamed: boolean): Promise<Report | null> {
  const { parseReport } = await import('../evals/report.js');
  try {
    return parseReport(await readFile(file, 'utf8'));
  } catch (error) {
    if (wasNamed) throw new UsageError(`The baseline ${file} cannot be read: ${errorMessage(error)}`);
    return null;
  }
}

async function writeBundle(folder: string, { run, bundle }: RunOutcome): Promise<void> {
  const name = [run.case, run.model, run.repetition].join('-').replace(/[^\w.-]/g, '-');
  await write(join(folder, `${name}.jsonl`), bundle.join(''));
}

async function write(file: string, text: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises');
  const { dirname } = await import('node:path');
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFileWhole(file, text);
}
