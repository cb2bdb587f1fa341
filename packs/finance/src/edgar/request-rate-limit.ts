/**
 * Rate limit of requests to EDGAR: at most ten a second from all processes of a host, without locks and without a daemon
 * (docs/decisions/0008). Time is divided into slots of 112 ms. A request may start in a slot once its process has created the
 * slot's file, which only one process can do. Eleven starts take eleven slots, so the first and the last are at least nine slots
 * apart: 1,008 ms.
 */
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolError } from 'holdfast/tools';
import { hostClock } from './clock';

const SLOT_MS = 112;
/** Distance from the present, in slots (a minute), from which files are no longer needed. Nearer ones must stay. */
const KEPT_SLOTS = 536;
/** Deletes old files once in this number of slots that it took. */
const SWEEP_EVERY = 64;

export class RequestSlots {
  private slotCount = 0;

  /**
   * @param folder shared by all processes that share the limit
   * @param clock milliseconds, never set back, the same for all of these processes
   */
  constructor(
    private readonly folder: string,
    private readonly clock: () => number = hostClock,
  ) {}

  /** Waits for a free slot; resolves with its number while the slot lasts. @throws the signal's reason */
  async take(signal?: AbortSignal): Promise<number> {
    for (;;) {
      signal?.throwIfAborted();
      const slot = this.now();
      // If the file system or the event loop took too long, the slot is over: take another one.
      if ((await this.create(slot)) && this.now() === slot) {
        if (this.slotCount++ % SWEEP_EVERY === 0) void this.sweep(slot);
        return slot;
      }
      await sleep((slot + 1) * SLOT_MS - this.clock(), signal);
    }
  }

  private now(): number {
    return Math.floor(this.clock() / SLOT_MS);
  }

  private async create(slot: number): Promise<boolean> {
    try {
      await writeFile(join(this.folder, String(slot)), '', { flag: 'wx' });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (code === 'ENOENT' && (await this.makeFolder())) return false;
      throw notWritable(this.folder, error);
    }
  }

  private async makeFolder(): Promise<boolean> {
    try {
      await mkdir(this.folder, { recursive: true });
      return true;
    } catch (error) {
      throw notWritable(this.folder, error);
    }
  }

  /** Deletes old slots, and future slots, which are left from before a restart of the host. */
  private async sweep(now: number): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const old = names.filter((name) => /^\d+$/.test(name) && Math.abs(Number(name) - now) > KEPT_SLOTS);
    await Promise.all(old.map((name) => unlink(join(this.folder, name)).catch(() => undefined)));
  }
}

/** @throws the signal's reason, not an error of the timer */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(Math.max(0, ms), undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function notWritable(folder: string, cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ToolError('EXECUTION_ERROR', 'cache_not_writable', `The folder ${folder} cannot be written to: ${why}.`, {
    hint: 'Set HOLDFAST_CACHE to a folder that this process may write to.',
    cause,
  });
}
