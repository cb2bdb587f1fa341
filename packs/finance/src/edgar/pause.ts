/** The pause after "too many requests", for all processes of the host: its end is in one small file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { hostClock } from './clock';

/** A longer pause was written before the host restarted, which also restarts its clock. */
const LONGEST_MS = 3_600_000;

export class HostPause {
  constructor(
    private readonly file: string,
    private readonly clock: () => number = hostClock,
  ) {}

  /** Milliseconds that remain; 0: no pause. */
  async remaining(): Promise<number> {
    const until = Number(await readFile(this.file, 'utf8').catch(() => '0'));
    const remainingMs = until - this.clock();
    return remainingMs > 0 && remainingMs <= LONGEST_MS ? remainingMs : 0;
  }

  /** Pauses for `ms` milliseconds from now, an hour at most; never shortens a pause. */
  async begin(ms: number): Promise<void> {
    const pauseMs = Math.min(ms, LONGEST_MS);
    if ((await this.remaining()) >= pauseMs) return;
    await mkdir(dirname(this.file), { recursive: true });
    const draft = `${this.file}.${randomUUID()}`;
    await writeFile(draft, String(this.clock() + pauseMs));
    await rename(draft, this.file); // readers see the old file or the new one, never a part
  }
}
