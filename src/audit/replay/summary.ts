/** Sums up the results of several replays, and describes them for people. */
import type { ReplayCode } from './code';
import type { ChildReady, ReplayResult } from './protocol';

export interface ReplaySummary {
  same: number;
  differs: number;
  cannot: number;
  events: number;
  /** Differences that are known to be harmless: reason → how many. */
  harmless: Record<string, number>;
  /** SHA-256 of the workflow bundle that was replayed. */
  code: string;
  /** Whether holdfast's own check was made besides Temporal's. */
  compared: boolean;
  /** Whether the processes that replayed could reach other machines; null: none was needed. */
  network: boolean | null;
}

export class Summing {
  readonly sum: ReplaySummary;

  constructor({ bundle, records }: ReplayCode) {
    this.sum = { same: 0, differs: 0, cannot: 0, events: 0, harmless: {}, code: bundle, compared: records, network: null };
  }

  ready({ network }: ChildReady): void {
    this.sum.network = network;
  }

  add({ outcome, events, harmless }: ReplayResult): void {
    this.sum[outcome] += 1;
    this.sum.events += events;
    for (const [reason, count] of Object.entries(harmless)) this.sum.harmless[reason] = (this.sum.harmless[reason] ?? 0) + count;
  }
}

/** Whether every history was replayed, with no difference. */
export const isSame = ({ differs, cannot }: ReplaySummary): boolean => differs === 0 && cannot === 0;

/** The result of one history, for people. */
export function describeReplay({ workflow_id, run_id, events, outcome, why, differences }: ReplayResult): string[] {
  const name = `${workflow_id} (run ${run_id})`;
  if (outcome === 'same') return [`same ${name}, ${events} events`];
  if (outcome === 'cannot') return [`cannot ${name}: ${why}`];
  return [`DIFFERS ${name}, ${events} events`, ...differences.map(({ sentence }) => `  ${sentence}`)];
}

export function describeSummary(sum: ReplaySummary): string[] {
  const { same, differs, cannot, events, harmless, code, compared, network } = sum;
  return [
    `${same} same, ${differs} differ, ${cannot} cannot be replayed; ${events} events, code ${code.slice(0, 16)}`,
    ...Object.entries(harmless).map(([reason, count]) => `  ${count} × known to be harmless: ${reason}`),
    ...(compared
      ? []
      : [
          '  Only Temporal’s own check: this code has no replay-bundle.js beside it, so arguments and results were not compared.',
        ]),
    ...(network
      ? [
          '  The network could not be taken from the processes that replayed (unshare is missing or forbidden); they have nothing that would use it.',
        ]
      : []),
  ];
}
