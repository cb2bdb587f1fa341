/**
 * Registers as files, changed by compare-and-swap. Each value of a register is a file of its own, `registers/<hash of the
 * name>/<n>`. A change creates file n + 1 with `link`, which the file system lets exactly one process do, so no killed process can
 * leave a lock behind.
 *
 * Old values are removed, except the last {@link VERSIONS_TO_KEEP}. A process that paused between reading n and creating n + 1 sees
 * that n is gone, and starts again: its n + 1 may have existed before.
 *
 * A register that has not changed for 30 days is removed as a whole, unless its name marks it as permanent. A process that changes
 * it at that moment finds that the value it read, or the folder, is gone, and starts again; the file that it wrote is removed too.
 *
 * A value is on disk before its writer goes on, as an effect record is: the file is flushed before its name appears, then the folder.
 * The limits of tools are not, since after a power cut no process relies on them; of these, half a file counts as none.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, link, open, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../../shared/json/json';
import { hasCode, makeDir, makeDirs, syncDir } from './atomic-file';
import { QueueByName, isKeptKey, mustSurvive, registerKey, registerValue } from '../core/registers';
import type { RegisterChange, RegisterStore } from '../store';

const VERSIONS_TO_KEEP = 32;
/** A value that has not changed for this long says nothing about the present. */
const KEPT_MS = 30 * 86_400_000;
/** A long-running process sweeps in the background: soon after its start, and then daily. A command never does. */
const FIRST_SWEEP_MS = 60_000;
const SWEEP_EVERY_MS = 86_400_000;
/** Most registers that one sweep looks at; of more, a random part each time. */
const MOST_LOOKED_AT = 100_000;
const NUMBER = /^[1-9]\d{0,14}$/;
/** Longest pause before the next try after another process was faster, ms. */
const LONGEST_PAUSE = 20;

export class FileRegisters implements RegisterStore {
  private readonly queue = new QueueByName();
  private timer: NodeJS.Timeout;
  private isClosed = false;

  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
    private readonly clock: () => number,
  ) {
    this.timer = this.sweepIn(FIRST_SWEEP_MS);
  }

  static async open(storeDir: string, tempDir: string, clock: () => number = Date.now): Promise<FileRegisters> {
    await makeDirs(storeDir, ['registers']);
    return new FileRegisters(join(storeDir, 'registers'), tempDir, clock);
  }

  async read(name: string): Promise<{ value: Json; now: number }> {
    const { value } = await this.latest(name);
    return { value, now: this.clock() };
  }

  update<T>(name: string, change: RegisterChange<T>): Promise<T> {
    return this.queue.add(name, () => this.swap(name, change));
  }

  /** Removes old registers, one after the other. Several processes may do so at once. */
  async sweep(): Promise<void> {
    const all = await readdir(this.dir);
    const from = Math.floor(Math.random() * all.length);
    const some = [...all.slice(from), ...all.slice(0, from)].slice(0, MOST_LOOKED_AT);
    for (const folder of some) if (!this.isClosed && !isKeptKey(folder) && (await this.isOld(folder))) await this.remove(folder);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private sweepIn(ms: number): NodeJS.Timeout {
    const sweep = async () => {
      await this.sweep().catch(() => undefined); // the rest is swept tomorrow, or by another process
      if (!this.isClosed) this.timer = this.sweepIn(SWEEP_EVERY_MS);
    };
    return setTimeout(() => void sweep(), ms).unref();
  }

  /** The folder's time is its last change: each one makes a file in it. */
  private async isOld(folder: string): Promise<boolean> {
    const info = await stat(join(this.dir, folder)).catch(() => null); // another process may sweep too
    return info !== null && info.isDirectory() && this.clock() - info.mtimeMs > KEPT_MS;
  }

  private async remove(folder: string): Promise<void> {
    await this.drop(folder, Number.MAX_SAFE_INTEGER);
    await rmdir(join(this.dir, folder)).catch(() => undefined); // another process has just changed it
  }

  private async swap<T>(name: string, change: RegisterChange<T>): Promise<T> {
    const folder = registerKey(name);
    for (let tries = 1; ; tries++) {
      const { number, value } = await this.latest(name);
      const { value: next, answer } = change(value, this.clock());
      if (next === undefined || (await this.create(folder, number, next, mustSurvive(name)))) return answer;
      await wait(Math.random() * Math.min(LONGEST_PAUSE, 2 * tries));
    }
  }

  /** The highest number and its value; 0 and null if there is none. @throws StoreError `damaged` */
  private async latest(name: string): Promise<{ number: number; value: Json }> {
    const folder = registerKey(name);
    for (;;) {
      const number = (await this.numbers(folder)).at(-1) ?? 0;
      if (number === 0) return { number, value: null };
      try {
        const text = await readFile(join(this.dir, folder, String(number)), 'utf8');
        return { number, value: registerValue(name, text, `registers/${folder}/${number}`) };
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error; // removed: there are many newer ones by now
      }
    }
  }

  /** False: another process was faster. */
  private async create(folder: string, after: number, value: Json, isFlushed: boolean): Promise<boolean> {
    if (after === 0) await (isFlushed ? makeDirs(this.dir, [folder]) : makeDir(join(this.dir, folder)));
    const temp = join(this.tempDir, `register-${process.pid}-${randomBytes(12).toString('hex')}`);
    await writeNew(temp, JSON.stringify(value), isFlushed);
    try {
      await link(temp, join(this.dir, folder, String(after + 1)));
      if (isFlushed) await syncDir(join(this.dir, folder));
    } catch (error) {
      if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return false;
      throw error;
    } finally {
      await rm(temp, { force: true });
    }
    if (after > 0 && !(await isThere(join(this.dir, folder, String(after))))) {
      await rm(join(this.dir, folder, String(after + 1)), { force: true });
      return false;
    }
    await this.drop(folder, after + 1 - VERSIONS_TO_KEEP);
    return true;
  }

  /** In ascending order, so that a process that finds a value knows that no newer value was ever removed. */
  private async drop(folder: string, upTo: number): Promise<void> {
    if (upTo < 1) return;
    for (const number of await this.numbers(folder)) {
      if (number > upTo) return;
      await rm(join(this.dir, folder, String(number)), { force: true });
    }
  }

  private async numbers(folder: string): Promise<number[]> {
    if (!existsSync(join(this.dir, folder))) return []; // most tools have no register: this takes a tenth of what readdir takes
    const names = await readdir(join(this.dir, folder)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    const numbers = names.filter((name) => NUMBER.test(name)).map(Number);
    return numbers.sort((a, b) => a - b);
  }
}

async function writeNew(path: string, text: string, isFlushed: boolean): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (isFlushed) await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
