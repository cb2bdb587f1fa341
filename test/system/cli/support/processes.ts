import { execFileSync } from 'node:child_process';

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** A process and everything below it. */
export function family(root: number): Process[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n').flatMap(parse);
  const found = all.filter(({ pid }) => pid === root);
  for (const member of found) found.push(...all.filter(({ parent }) => parent === member.pid));
  return found;
}

function parse(line: string): Process[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
  return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3]! }] : [];
}

/** A process that has ended but that nobody has waited for yet counts as gone. */
export function alive(processes: Process[]): Process[] {
  return processes.filter(({ pid }) => family(pid).some((found) => found.pid === pid && !/<defunct>/.test(found.command)));
}

/** @returns those that are still there after the time */
export async function stillThere(processes: Process[], withinMs = 20_000): Promise<Process[]> {
  const until = Date.now() + withinMs;
  while (alive(processes).length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
  return alive(processes);
}
