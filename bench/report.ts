/** Writes the figures as Markdown tables, with the important ratios. */
import type { Admission } from './admission';
import type { ReplaySpeed } from './audit-replay';
import type { VerifySpeed } from './audit-verify';
import type { Fleet } from './fleet/fleet';
import type { Figures, Kind } from './gateway';
import type { MemoryFigures } from './gateway-memory';
import type { Answered } from './support/http-load';
import type { GrowthOfStore } from './growth';
import type { Growth } from './history';
import type { Import } from './imports';
import type { InboxFigures } from './inbox';
import type { Cell } from './speed';
import type { StoreFigures } from './store';
import type { TraceCost, TurnCost } from './traces';
import type { Waiting } from './waiting';

export function speedTable(cells: Cell[]): string {
  const header = [
    ...['side', 'server', 'median ms', 'p99 ms', 'turns/s'],
    ...['worker CPU ms', 'client CPU ms', 'server CPU ms', 'worker CPU ms, many', 'worker MB'],
    ...['workflow tasks', 'workflow tasks, many'],
  ];
  const rows = cells.map((cell) => [
    ...[cell.side, cell.server, cell.medianMs.toFixed(0), cell.p99Ms.toFixed(0), cell.turnsPerSecond.toFixed(1)],
    ...[cell.workerCpuMs, cell.clientCpuMs, cell.serverCpuMs, cell.loadedWorkerCpuMs, cell.workerMb].map((figure) =>
      figure.toFixed(0),
    ),
    ...[cell.workflowTasks.toFixed(1), cell.loadedWorkflowTasks.toFixed(1)],
  ]);
  const figures = [...(['medianMs', 'turnsPerSecond', 'workerCpuMs', 'serverCpuMs', 'loadedWorkerCpuMs', 'workerMb'] as const)];
  const ratio = (name: string, a: Cell, b: Cell) => [name, ...figures.map((figure) => (a[figure] / b[figure]).toFixed(2))];
  const of = (server: Cell['server'], side: string) => cells.find((cell) => cell.server === server && cell.side === side);
  const servers = [...new Set(cells.map(({ server }) => server))];
  const ratios = servers.map((server) =>
    ratio(`holdfast ÷ bare loop, ${server}`, of(server, 'holdfast')!, of(server, 'bare loop')!),
  );
  const [tuned, untuned] = [of('memory', 'holdfast'), of('default', 'bare loop')];
  if (tuned && untuned) ratios.push(ratio('holdfast, memory ÷ bare loop, default', tuned, untuned));
  const names = ['ratio', 'latency', 'turns/s', 'worker CPU', 'server CPU', 'worker CPU, many', 'worker MB'];
  return `${table(header, rows)}\n\n${table(names, ratios)}\n`;
}

export function fleetTable(run: Fleet): string {
  const count = (value: number | readonly unknown[]) => String(typeof value === 'number' ? value : value.length);
  const rows: [string, string][] = [
    ['minutes, seed', `${run.minutes.toFixed(1)}, ${run.seed}`],
    ['faults', `${Object.values(run.faults).reduce((sum, n) => sum + n, 0)}: ${listOf(run.faults)}`],
    ['processes started again', count(run.restarts)],
    ['turns started', count(run.started)],
    ['starts that no gateway accepted', count(run.notStarted)],
    ['turns completed', count(run.completed)],
    ['turns denied or cancelled', count(run.deniedOrCancelled)],
    ['starts refused for a wrong clock', count(run.refusedForClock)],
    ['turns lost', count(run.lost)],
    ['turns stuck', count(run.stuck)],
    ['turns that failed', count(run.failed)],
    ['effects in the ledger', count(run.effects)],
    ['effects twice', count(run.effectsTwice)],
    ['effects without approval', count(run.effectsWithoutApproval)],
    ['calls that were in doubt', count(run.inDoubt)],
    ['recorded otherwise than in the ledger', count(run.otherThanLedger)],
    ...Object.entries(run.growth).map(([name, [second, last]]): [string, string] => [
      name,
      `${second.toFixed(0)} → ${last.toFixed(0)}`,
    ]),
    ['requests answered with a refusal, or not at all', listOf(run.refusals)],
  ];
  return `${table(['fleet', 'figure'], rows)}\n`;
}

const listOf = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

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
  const times = grown.flatMap((growth) => [
    [growth.kind, 'wall time', ...growthRow(growth.msAtStep10, growth.msAtStep100)],
    [growth.kind, 'worker CPU', ...growthRow(growth.cpuMsAtStep10, growth.cpuMsAtStep100)],
  ]);
  return [
    table(['side', 'steps', 'history bytes', 'a step at 10', 'a step at 100', 'ratio', 'failure'], rows),
    '',
    table(['side', 'ms', 'a step at 10', 'a step at 100', 'ratio'], times),
    '',
  ].join('\n');
}

const SIZE_ROWS: [Exclude<keyof GrowthOfStore, 'eventsWhileWaiting'>, string][] = [
  ['oneStep', 'a turn of one step'],
  ['step', 'each further step'],
  ['readCall', 'each call that reads'],
  ['approvedCall', 'a destructive call with its approval, and the step after it'],
  ['fiveCalls', 'a turn of two steps and five calls'],
];

export function growthTable({ eventsWhileWaiting, ...sizes }: GrowthOfStore): string {
  const number = (value: number | null) => (value === null ? '' : Math.round(value).toLocaleString('en'));
  const rows = SIZE_ROWS.map(([key, name]) => {
    const { history, files, filesOnDisk, fileCount, postgres } = sizes[key];
    return [name, number(history), number(files), number(filesOnDisk), fileCount.toFixed(1), number(postgres)];
  });
  const columns = ['bytes', 'history', 'files: content', 'files: on disk', 'number of files', 'PostgreSQL'];
  return [table(columns, rows), '', `Events while a turn waits: ${eventsWhileWaiting}.`, ''].join('\n');
}

function growthRow(at10: number, at100: number): string[] {
  return [at10.toFixed(1), at100.toFixed(1), (at100 / at10).toFixed(2)];
}

export function waitingTable(waiting: Waiting): string {
  const rows = [
    ['turns that wait, and for what', `${waiting.turns}, ${waiting.kind}`],
    ['of them in memory, at most', String(waiting.cachedWorkflows)],
    ['worker MB, before and with them', `${waiting.workerMbBefore.toFixed(0)} → ${waiting.workerMb.toFixed(0)}`],
    ['worker MB, the most it ever had', waiting.workerPeakMb.toFixed(0)],
    ['worker CPU at rest, % of a core', waiting.workerCpuAtRest.toFixed(1)],
    ['server CPU at rest, % of a core', waiting.serverCpuAtRest.toFixed(1)],
    ['from its end to what follows, median ms', waiting.signalToRunMedianMs.toFixed(0)],
    ['from its end to what follows, p99 ms', waiting.signalToRunP99Ms.toFixed(0)],
  ];
  return `${table(['', ''], rows)}\n`;
}

export function inboxTable(figures: InboxFigures): string {
  const rows = [
    ['turns waiting', String(figures.turns)],
    ['empty page, median ms', figures.emptyMs.toFixed(1)],
    ['page with their rows, median ms', figures.rowsMs.toFixed(1)],
    ['page ÷ empty page', (figures.rowsMs / figures.emptyMs).toFixed(1)],
    ['page with their rows, p99 ms', figures.rowsP99Ms.toFixed(1)],
    ['its size, KB', figures.rowsKb.toFixed(0)],
    ['stream until all rows are told, ms', figures.streamMs.toFixed(0)],
    ['page with whole cards, ms', figures.wholeMs.toFixed(0)],
    ['decision until it is on the stream, median ms', figures.decisionMs.toFixed(0)],
    ['first reading, s', (figures.firstReadingMs / 1000).toFixed(1)],
    ['worker CPU for it, s', (figures.firstReadingWorkerCpuMs / 1000).toFixed(1)],
    ['gateway CPU at rest with a stream, % of a core', figures.gatewayCpuAtRest.toFixed(1)],
    ['worker CPU at rest, % of a core', figures.workerCpuAtRest.toFixed(1)],
    ['gateway MB', figures.gatewayMb.toFixed(0)],
  ];
  return `${table(['', ''], rows)}\n`;
}

export function admissionTable({ tools, registrationMs, registrationCpuMs, admitUs, ajvUs }: Admission): string {
  const rows = [
    [`registration of ${tools} tools, ms`, registrationMs.toFixed(0)],
    ['the same, CPU ms', registrationCpuMs.toFixed(0)],
    ['admission of a call, median µs', admitUs.toFixed(1)],
    ['ajv alone, median µs', ajvUs.toFixed(1)],
    ['ratio', (admitUs / ajvUs).toFixed(1)],
  ];
  return `${table(['', ''], rows)}\n`;
}

export function replayTable({ histories, events, plain, one, each, processes }: ReplaySpeed): string {
  const row = (name: string, rate: number) => [name, rate.toFixed(0), (rate / plain).toFixed(2)];
  const rows = [
    row('the SDK alone, one process', plain),
    row('audit replay, one process', one),
    row(`audit replay, ${processes} processes`, each),
  ];
  return `${histories} histories, ${events} events\n\n${table(['', 'histories a minute', '÷ SDK'], rows)}\n`;
}

export function verifyTable(all: VerifySpeed[]): string {
  const rows = all.map(({ megabytes, lines, verify, sha256sum, peak }) => [
    megabytes.toFixed(0),
    String(lines),
    verify.toFixed(1),
    sha256sum.toFixed(2),
    (verify / sha256sum).toFixed(1),
    peak.toFixed(0),
  ]);
  return `${table(['MB', 'lines', 'verify, s', 'sha256sum, s', 'ratio', 'memory at most, MB'], rows)}\n`;
}

export function storeTable(figures: Record<'files' | 'postgres', StoreFigures> | null): string {
  if (figures === null) return '';
  const { files, postgres } = figures;
  const names: [keyof StoreFigures, string][] = [
    ['step', 'a step: three blocks'],
    ['stepAtOnce', 'the same, twenty at once, each'],
    ['effect', 'a claim and its outcome'],
    ['walk', 'a walk over 300 blocks, nothing read before'],
  ];
  const rows = names.map(([name, what]) => {
    const [a, b] = [files[name], postgres[name]];
    return [what, a.toFixed(2), b.toFixed(2), (b / a).toFixed(2)];
  });
  return `${table(['median ms', 'files', 'PostgreSQL', 'ratio'], rows)}\n`;
}

export function importsTable(all: Import[]): string {
  const rows = all.map(({ entry, bare, cpuMs, bareCpuMs, modules, bareModules }) => [
    entry,
    bare,
    cpuMs.toFixed(0),
    bareCpuMs.toFixed(0),
    bare === '' ? '–' : (cpuMs / bareCpuMs).toFixed(2),
    `${modules} / ${bareModules}`,
  ]);
  return `${table(['entry', 'beside', 'CPU ms', 'bare', 'ratio', 'modules'], rows)}\n`;
}

export function tracesTable({ off, on, exports }: TraceCost): string {
  const row = (name: string, { medianMs, cpuMsPerTurn }: TurnCost) => [
    name,
    medianMs.toFixed(0),
    (medianMs / off.medianMs).toFixed(2),
    cpuMsPerTurn.toFixed(1),
    (cpuMsPerTurn / off.cpuMsPerTurn).toFixed(2),
  ];
  const rows = [row('off', off), row('on', on)];
  return `${table(['traces', 'ms a turn', 'ratio', 'CPU ms a turn', 'ratio'], rows)}\n\n${exports} exports\n`;
}

export function gatewayTable({ untouched, more }: Figures): string {
  const header = ['starts, no workers', 'a second', '÷ bare, empty', '÷ bare, our turn', 'p50 ms', 'p99 ms', 'CPU ms', 'failed'];
  const faces = table(header, startRows(untouched));
  if (more === undefined) return `${faces}\n`;
  const { worked, shown, watchers } = more;
  const ends = startRows(worked).map((row) => [...row, worked[row[0] as Kind].endsPerSecond.toFixed(0)]);
  const shows = (['bare', 'gateway'] as const).map((face) => [
    face,
    shown[face].perSecond.toFixed(0),
    (shown[face].perSecond / shown.bare.perSecond).toFixed(2),
    ...costs(shown[face]),
  ]);
  const watched = [watchers.one, watchers.many].map(({ watchers: count, medianMs, p99Ms, cpuMs, wrong }) => [
    String(count),
    medianMs.toFixed(0),
    p99Ms.toFixed(0),
    (medianMs / watchers.one.medianMs).toFixed(2),
    cpuMs.toFixed(0),
    String(wrong),
  ]);
  const tables = [
    faces,
    table(['starts, one worker of each', ...header.slice(1), 'ends a second'], ends),
    table(['one that has ended, shown', 'a second', 'ratio', 'p50 ms', 'p99 ms', 'CPU ms', 'failed'], shows),
    table(['watchers of a turn', 'decision to end, median ms', 'p99 ms', 'ratio', 'CPU ms', 'wrong'], watched),
  ];
  return `${tables.join('\n\n')}\n`;
}

function startRows(figures: Record<Kind, Answered>): string[][] {
  return (Object.entries(figures) as [Kind, Answered][]).map(([kind, answered]) => {
    const than = (other: Kind) => (answered.perSecond / figures[other].perSecond).toFixed(2);
    return [kind, answered.perSecond.toFixed(0), than('bare, empty workflow'), than('bare, our turn'), ...costs(answered)];
  });
}

const costs = ({ p50Ms, p99Ms, cpuMs, failed }: Answered) => [
  p50Ms.toFixed(0),
  p99Ms.toFixed(0),
  cpuMs.toFixed(2),
  String(failed),
];

export function gatewayMemoryTable({ minutes, turns, requests, failed, heapMb, rssMb, handles }: MemoryFigures): string {
  const grown = ({ first, last, slopePerMinute }: MemoryFigures['rssMb']) =>
    `${first.toFixed(1)} → ${last.toFixed(1)}; ${slopePerMinute.toFixed(3)} a minute`;
  const rows = [
    ['minutes, turns, requests, failed', [minutes, turns, requests, failed].join(', ')],
    ['heap after a collection, MB', `${grown(heapMb)}, ${heapMb.slopePerThousandTurns.toFixed(3)} a thousand turns`],
    ['resident, MB', grown(rssMb)],
    ['open sockets and files', `${handles.first} → ${handles.last}`],
  ];
  return `${table(['after the warm-up', ''], rows)}\n`;
}

function table(header: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
