/** Results of runs by case and model: as a table, as JSON, and beside those of an earlier run. */
import { z } from 'zod';
import type { RunResult } from './run-all';

const row = z.object({
  case: z.string(),
  model: z.string(),
  runs: z.number().int(),
  passed: z.number().int(),
  skipped: z.number().int(),
  cost_usd: z.number().nullable(),
  mean_ms: z.number(),
  faults: z.array(z.string()),
});
/** All runs of a case with a model. `cost_usd` is their sum; null: it is not known. */
export type Row = z.infer<typeof row>;

const reportFile = z.object({ v: z.literal('holdfast.evals/1'), at: z.string(), rows: z.array(row) });
export type Report = z.infer<typeof reportFile>;

export function reportOf(results: readonly RunResult[], at: Date): Report {
  const groups = new Map<string, RunResult[]>();
  for (const result of results) {
    const key = JSON.stringify([result.case, result.model]);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return { v: 'holdfast.evals/1', at: at.toISOString(), rows: [...groups.values()].map(rowOf) };
}

function rowOf(results: readonly RunResult[]): Row {
  const runs = results.filter(({ skipped }) => skipped === null);
  const costs = runs.map(({ costUsd }) => costUsd);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    case: results[0]!.case,
    model: results[0]!.model,
    runs: runs.length,
    passed: runs.filter(({ faults }) => faults.length === 0).length,
    skipped: results.length - runs.length,
    cost_usd: costs.every((cost) => cost !== null) ? Math.round(sum(costs) * 1e8) / 1e8 : null,
    mean_ms: runs.length === 0 ? 0 : Math.round(sum(runs.map(({ durationMs }) => durationMs)) / runs.length),
    faults: [...new Set(runs.flatMap(({ faults }) => faults))],
  };
}

/** @throws Error for a text that is no report */
export function parseReport(text: string): Report {
  return reportFile.parse(JSON.parse(text));
}

/** An earlier report, with the cases and models of this one alone. */
export function withRowsOf(report: Report, earlier: Report): Report {
  return { ...earlier, rows: earlier.rows.filter((one) => rowLike(one, report) !== undefined) };
}

/** Whether all runs passed, and none was left out. */
export function isGood({ rows }: Report): boolean {
  return rows.every(({ runs, passed, skipped }) => passed === runs && skipped === 0);
}

export type Change = 'fixed' | 'worse' | 'better' | 'broken' | 'new' | 'same';

/** How a row differs from that of the same case and model in an earlier report. */
export function changeOf(now: Row, before: Report): Change {
  const earlier = rowLike(now, before);
  if (earlier === undefined) return 'new';
  const [rate, rateBefore] = [rateOf(now), rateOf(earlier)];
  if (rate === null || rateBefore === null || rate === rateBefore) return 'same';
  if (rate > rateBefore) return rate === 1 ? 'fixed' : 'better';
  return rateBefore === 1 ? 'broken' : 'worse';
}

function rateOf({ runs, passed }: Row): number | null {
  return runs === 0 ? null : passed / runs;
}

/** The rows for programs, each beside the earlier one. */
export function rowsWithBefore({ rows }: Report, before: Report | null) {
  return rows.map((one) => {
    const earlier = before === null ? undefined : rowLike(one, before);
    const { passed, runs } = earlier ?? {};
    return {
      ...one,
      before: earlier === undefined ? null : { passed, runs },
      change: before === null ? null : changeOf(one, before),
    };
  });
}

/** The table for people, with what is wrong below it. */
export function reportLines(report: Report, before: Report | null): string[] {
  const head = ['case', 'model', 'passed', 'cost', 'time', ...(before === null ? [] : ['before'])];
  const cells = report.rows.map((one) => [
    one.case,
    one.model,
    `${one.passed}/${one.runs}${one.skipped > 0 ? ` (${one.skipped} not run)` : ''}`,
    costOf(one.cost_usd),
    `${(one.mean_ms / 1000).toFixed(1)} s`,
    ...(before === null ? [] : [beforeText(one, before)]),
  ]);
  const faults = report.rows.filter((one) => one.faults.length > 0);
  const [runs, passed] = [sumOf(report, 'runs'), sumOf(report, 'passed')];
  const known = report.rows.every(({ cost_usd }) => cost_usd !== null);
  const cost = report.rows.reduce((total, one) => total + (one.cost_usd ?? 0), 0);
  const absent = missingFrom(report, before);
  return [
    ...table([head, ...cells]),
    '',
    ...faults.flatMap((one) => [`${one.case}, ${one.model}:`, ...one.faults.map((fault) => `  - ${fault}`)]),
    ...(absent.length > 0 ? [`Not run now, but before: ${absent.join(', ')}.`] : []),
    `${passed} of ${runs} runs passed; cost ${known ? costOf(cost) : `${costOf(cost)}, and an unknown cost`}.`,
  ];
}

function beforeText(now: Row, before: Report): string {
  const change = changeOf(now, before);
  const earlier = rowLike(now, before);
  return earlier === undefined ? change : `${earlier.passed}/${earlier.runs}${change === 'same' ? '' : `, ${change}`}`;
}

function rowLike(row: Row, { rows }: Report): Row | undefined {
  return rows.find((one) => one.case === row.case && one.model === row.model);
}

function missingFrom(report: Report, before: Report | null): string[] {
  return (before?.rows ?? []).filter((one) => rowLike(one, report) === undefined).map((one) => `${one.case} with ${one.model}`);
}

function sumOf({ rows }: Report, field: 'runs' | 'passed'): number {
  return rows.reduce((total, one) => total + one[field], 0);
}

function costOf(usd: number | null): string {
  return usd === null ? 'unknown' : `$${usd.toFixed(4)}`;
}

function table(lines: readonly string[][]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  return lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
