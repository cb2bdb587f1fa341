/** The figures as Markdown tables, with the ratios that count. */
import type { Growth } from './history';
import type { Cell } from './speed';
import type { Waiting } from './waiting';

export function speedTable(cells: Cell[]): string {
  const rows = cells.map((cell) => [
    cell.kind,
    cell.server,
    cell.medianMs.toFixed(0),
    cell.p99Ms.toFixed(0),
    cell.turnsPerSecond.toFixed(1),
    cell.workerCpuMs.toFixed(0),
    cell.serverCpuMs.toFixed(0),
    cell.workerMb.toFixed(0),
  ]);
  const header = ['side', 'server', 'median ms', 'p99 ms', 'turns/s', 'worker CPU ms', 'server CPU ms', 'worker MB'];
  const of = (kind: Cell['kind'], server: Cell['server']) => cells.find((cell) => cell.kind === kind && cell.server === server)!;
  const latency = (a: Cell, b: Cell) => (a.medianMs / b.medianMs).toFixed(2);
  const rate = (a: Cell, b: Cell) => (a.turnsPerSecond / b.turnsPerSecond).toFixed(2);
  const pairs: [string, Cell, Cell][] = [
    ['ours ÷ naive, default server', of('ours', 'default'), of('naive', 'default')],
    ['ours ÷ naive, tuned server', of('ours', 'tuned'), of('naive', 'tuned')],
    ['ours tuned ÷ naive default', of('ours', 'tuned'), of('naive', 'default')],
    ['naive tuned ÷ naive default', of('naive', 'tuned'), of('naive', 'default')],
  ];
  const ratios = pairs.map(([name, a, b]) => [name, latency(a, b), rate(a, b)]);
  return `${table(header, rows)}\n\n${table(['ratio', 'latency', 'turns/s'], ratios)}\n`;
}

export function historyTable(grown: Growth[]): string {
  const rows = grown.map((growth) => [
    growth.kind,
    String(growth.steps),
    growth.totalBytes.toLocaleString('en'),
    growth.bytesAtStep10.toLocaleString('en'),
    growth.bytesAtStep100.toLocaleString('en'),
    (growth.bytesAtStep100 / growth.bytesAtStep10).toFixed(2),
    growth.failure ?? '',
  ]);
  return `${table(['side', 'steps', 'history bytes', 'a step at 10', 'a step at 100', 'ratio', 'failure'], rows)}\n`;
}

export function waitingTable(waiting: Waiting): string {
  const rows = [
    ['turns waiting', String(waiting.turns)],
    ['worker MB, before and with them', `${waiting.workerMbBefore.toFixed(0)} → ${waiting.workerMb.toFixed(0)}`],
    ['worker CPU at rest, % of a core', waiting.workerCpuAtRest.toFixed(1)],
    ['server CPU at rest, % of a core', waiting.serverCpuAtRest.toFixed(1)],
    ['signal to run, median ms', waiting.signalToRunMedianMs.toFixed(0)],
    ['signal to run, p99 ms', waiting.signalToRunP99Ms.toFixed(0)],
  ];
  return `${table(['', ''], rows)}\n`;
}

function table(header: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
