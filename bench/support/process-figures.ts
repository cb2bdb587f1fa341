/** CPU time and memory of another process, from /proc. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second that Linux reports in; the same on every platform that Node supports. */
const TICKS = 100;

/** CPU time so far, user and system, ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Resident memory, MB. */
export function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(kb) / 1024;
}
