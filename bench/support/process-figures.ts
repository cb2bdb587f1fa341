/** CPU time and memory of another process, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second, in which Linux reports CPU time; the same on every platform that Node supports. */
const TICKS = 100;

/** CPU time so far, user and system, ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Proportional set size, MB: resident memory, in which shared memory counts by the process's share. */
export function proportionalMb(pid: number): number {
  const kb = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1];
  return Number(kb) / 1024;
}

/** The ids of this process and of all processes below it. */
export function treeOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

/** Resident memory, MB. */
export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS');

/** The most resident memory that it ever had, MB. */
export const peakMb = (pid: number): number => statusMb(pid, 'VmHWM');

function statusMb(pid: number, field: string): number {
  const [, kb] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kb) / 1024;
}
