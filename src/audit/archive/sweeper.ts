/**
 * Keeps a bundle of each turn with effects, after it has ended, however it ended. Several processes may run a sweeper; only the
 * holder of the lease works. A sweeper never delays a turn, and writes nothing into the turn's history.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BundleSigner } from '../../attestation/bundle-signer';
import { exportBundle } from '../export/bundle';
import type { EndBody } from '../format/lines';
import { closedWithEffects, type Places, type Window } from './closed-turns';
import { ArchiveUnusable, type ClosedTurn, type BundleArchive } from './bundle-archive';
import { LEASE_MS, MAX_FAILURES, SweepLease, type SweepState } from './sweep-state';
import { errorMessage } from '../../shared/text/error-message';
import { NONE, type ReceiptServices } from '../../witness/client';
import { MissingReceipts } from './missing-receipts';

export interface SweeperParts extends Places {
  archive: BundleArchive;
  /** Called only when there is something to sign. */
  signer(): Promise<BundleSigner>;
  /** Whether workers of another version are the current ones: then they sweep, and this one only ends its turns. Absent: no. */
  isSuperseded?: () => Promise<boolean>;
  /** Where bundles get receipts; absent: nowhere. */
  receipts?: ReceiptServices;
  log: Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;
}

export interface Swept {
  /** Names of the files that were written. */
  kept: string[];
  failed: { turn_id: string; reason: string }[];
  /** False: another process holds the lease, or should: nothing was done. */
  mine: boolean;
}

/** Time between two sweeps, ms. */
const EVERY_MS = 10_000;
/** ms. Temporal's list may lag behind, so a sweep starts this much before the end of the last one. */
const OVERLAP_MS = 60_000;
/** ms. Turns that ended earlier are not searched: Temporal has forgotten them. */
const LONGEST_MS = 31 * 86_400_000;
/** Maximum number of turns in one list. In a busy time, the window is made shorter. */
const LIST_LIMIT = 1000;
const SHORTEST_WINDOW_MS = 1000;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** From then on a bundle that fails is an error in the log. */
const MANY_TRIES = 10;
/** So many failures in a row, beyond those that the state can carry, have one cause. */
const MOST_IN_A_ROW = 10;

export class Sweeper {
  private readonly lease: SweepLease;
  /** Names of files that are known to exist: the folder need not be checked. */
  private readonly fileNames = new Set<string>();
  private readonly receipts: MissingReceipts;

  constructor(private readonly parts: SweeperParts) {
    const name = `bundle sweep ${parts.temporal.options.namespace} ${parts.taskQueue}`;
    this.receipts = new MissingReceipts(parts.archive, parts.receipts ?? NONE, parts.log);
    this.lease = new SweepLease(parts.store.registers, name, `${hostname()} ${process.pid} ${randomBytes(4).toString('hex')}`);
  }

  /** Sweeps until `stop` aborts. Errors are logged, and the sweep is tried again. A bundle that is being written is finished. */
  async follow(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.sweep(stop).catch((error: unknown) => {
        const todo = 'Are Temporal and the store reachable? It is tried again.';
        this.parts.log.warn({ reason: messageOf(error), todo }, 'bundles could not be swept');
      });
      await sleep(EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
    await this.release();
  }

  /** Gives up the lease, so that another process need not wait for its end. */
  async release(): Promise<void> {
    await this.lease.release().catch(() => undefined);
  }

  /**
   * Sweeps all turns that ended since the last sweep. What keeps every bundle from being made ends the sweep, and no turn is passed over.
   * @throws ArchiveUnusable; what Temporal, the store or the signer throws
   */
  async sweep(stop?: AbortSignal): Promise<Swept> {
    const state = await this.lease.take();
    const swept: Swept = { kept: [], failed: [], mine: state !== null };
    if (state === null) return swept;
    if (await this.parts.isSuperseded?.()) {
      await this.release();
      return { ...swept, mine: false };
    }
    const renewal = setInterval(() => void this.lease.note({}).catch(() => undefined), LEASE_MS / 4).unref();
    try {
      await this.retryFailures(state, swept, stop);
      await this.forward(state, swept, stop);
      await this.receipts.ask(stop);
    } finally {
      clearInterval(renewal);
    }
    return swept;
  }

  private async forward(state: SweepState, swept: Swept, stop?: AbortSignal): Promise<void> {
    const now = Date.now();
    let from = Math.max(state.swept_to - OVERLAP_MS, now - LONGEST_MS);
    while (from < now && !stop?.aborted) {
      const { to, turns } = await this.next(from, now);
      for (const turn of turns) {
        if (stop?.aborted) return;
        await this.keep(turn, 1, state, swept);
        if (state.failed.length > MAX_FAILURES + MOST_IN_A_ROW && swept.kept.length === 0)
          throw new Error(`${state.failed.length} bundles could not be made, the last one since ${swept.failed.at(-1)!.reason}`);
      }
      this.giveUpMost(state);
      from = to;
      await this.lease.note({ swept_to: to, failed: state.failed });
    }
  }

  /** The longest window whose turns fit into one list. */
  private async next(from: number, now: number): Promise<{ to: number; turns: ClosedTurn[] }> {
    for (let length = now - from; ; length = Math.ceil(length / 2)) {
      const to = from + length;
      const most = length <= SHORTEST_WINDOW_MS ? Infinity : LIST_LIMIT;
      const turns = await closedWithEffects(this.parts, windowOf(from, to), most);
      if (turns !== null) return { to, turns };
    }
  }

  private async retryFailures(state: SweepState, swept: Swept, stop?: AbortSignal): Promise<void> {
    const due = state.failed.filter(({ again }) => again <= Date.now());
    state.failed = state.failed.filter((one) => !due.includes(one));
    for (const { tries, again: _, ...turn } of due) {
      if (stop?.aborted) state.failed.push({ ...turn, tries, again: 0 });
      else await this.keep(turn, tries + 1, state, swept);
    }
    if (due.length > 0) await this.lease.note({ failed: state.failed });
  }

  private async keep(turn: ClosedTurn, tries: number, state: SweepState, swept: Swept): Promise<void> {
    const { archive, store, temporal, log } = this.parts;
    const name = archive.nameOf(turn);
    if (this.fileNames.has(name) || state.failed.some((one) => archive.nameOf(one) === name)) return;
    if (await archive.has(name)) return this.remember(name);
    const signer = await this.parts.signer();
    try {
      const subject = { kind: turn.turn_id.startsWith('call/') ? ('call' as const) : ('turn' as const), id: turn.turn_id };
      const last = { line: '' };
      await this.receipts.note(name);
      const lines = exportBundle({ temporal, store, subject, signer, head: await this.receipts.head() });
      const isNew = await archive.keep(name, trackLastLine(lines, last));
      if (isNew) {
        this.judge(turn, name, last.line);
        swept.kept.push(name);
        log.info({ turn_id: turn.turn_id, file: name }, 'bundle kept');
      }
      this.remember(name);
    } catch (error) {
      if (error instanceof ArchiveUnusable) throw error;
      this.noteFailure(turn, tries, state, swept, messageOf(error));
    }
  }

  /** Logs a bundle that contradicts itself as an incident: one of its sources was changed. */
  private judge({ turn_id }: ClosedTurn, file: string, last: string): void {
    const { contradiction } = (JSON.parse(last) as { body: EndBody }).body;
    if (!contradiction) return;
    const todo = 'Find out which of its sources was changed: run `holdfast audit verify` on the file.';
    this.parts.log.error({ turn_id, file, ...contradiction, todo }, 'the bundle contradicts itself');
  }

  private noteFailure(turn: ClosedTurn, tries: number, state: SweepState, swept: Swept, reason: string): void {
    const { turn_id } = turn;
    swept.failed.push({ turn_id, reason });
    if (Date.now() - Date.parse(turn.closed_at) > LONGEST_MS) return this.giveUp(turn_id, tries, reason);
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    state.failed.push({ ...turn, tries, again: Date.now() + pause });
    this.parts.log[tries < MANY_TRIES ? 'warn' : 'error'](
      { turn_id, tries, reason, todo: 'It is tried again.' },
      'bundle not kept',
    );
  }

  /** Of more failures than the state can carry, while other bundles are kept, those that were tried most have causes of their own. */
  private giveUpMost(state: SweepState): void {
    state.failed.sort((one, other) => one.tries - other.tries);
    for (const { turn_id, tries } of state.failed.splice(MAX_FAILURES)) this.giveUp(turn_id, tries, 'too many bundles fail');
  }

  private giveUp(turn_id: string, tries: number, reason: string): void {
    const todo = `It is not tried again: mend the cause, then run \`holdfast audit export ${turn_id} -o FILE\`.`;
    this.parts.log.error({ turn_id, tries, reason, todo }, 'bundle not kept');
  }

  private remember(name: string): void {
    this.fileNames.add(name);
    if (this.fileNames.size > 10 * LIST_LIMIT) this.fileNames.delete(this.fileNames.values().next().value!);
  }
}

async function* trackLastLine(lines: AsyncIterable<string>, last: { line: string }): AsyncGenerator<string> {
  for await (const line of lines) {
    last.line = line;
    yield line;
  }
}

function windowOf(from: number, to: number): Window {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function messageOf(error: unknown): string {
  return errorMessage(error).slice(0, 500);
}
