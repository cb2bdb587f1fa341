/** Programs of others run in a PID namespace of their own: the number that one knows itself by is another process's here. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The process as this one sees it.
 * @param own its number in its namespace
 * @param namespace as `/proc/self/ns/pid` names it there
 */
export function hostPid(own: number, namespace: string): number {
  const found = readdirSync('/proc').find((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/ns/pid`) !== namespace) return false;
      return new RegExp(`^NSpid:.*\\t${own}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false; // it has ended meanwhile
    }
  });
  if (found === undefined) throw new Error(`no process here is ${own} in ${namespace}`);
  return Number(found);
}
