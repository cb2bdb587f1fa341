/**
 * Turn overhead: {naive, ours} × {default server, tuned server} in one run. The two sides of a server
 * take turns, block by block, so that a drift of the machine falls on both.
 */
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { cpuMs, residentMb } from './support/process-figures';
import { median, quantile } from './support/quantile';
import { Side } from './support/side-process';
import { SHORT_TURN } from './support/workload';

export interface SpeedOptions {
  /** Turns one after the other, each cell. */
  turns: number;
  /** Turns at once, and how many of them each cell. */
  atOnce: number;
  loadTurns: number;
}

export interface Cell {
  kind: 'naive' | 'ours';
  server: 'default' | 'tuned';
  medianMs: number;
  p99Ms: number;
  turnsPerSecond: number;
  workerCpuMs: number;
  serverCpuMs: number;
  workerMb: number;
}

/** The server's own defaults, which the embedded server overrides. */
const DEFAULTS = { 'history.transferProcessorMaxPollRPS': 20, 'system.enableActivityEagerExecution': false };
const BLOCK = 10;
const KINDS = ['naive', 'ours'] as const;

export async function speed(options: SpeedOptions, say: (line: string) => void): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const server of ['default', 'tuned'] as const) {
    say(`server with ${server} settings`);
    cells.push(...(await onServer(server, options, say)));
  }
  return cells;
}

async function onServer(server: Cell['server'], options: SpeedOptions, say: (line: string) => void): Promise<Cell[]> {
  const { path } = await findTemporalCli({ onProgress: say });
  const dev = await startDevServer({
    cli: path,
    port: 0,
    headless: true,
    ...(server === 'default' ? { dynamicConfig: DEFAULTS } : {}),
  });
  const sides: Side[] = [];
  try {
    for (const kind of KINDS) sides.push(await Side.start({ kind, address: dev.address, script: SHORT_TURN }));
    const samples = sides.map((): Sample => ({ took: [], turnsPerSecond: [], workerCpu: [], serverCpu: [] }));
    for (const side of sides) await side.run({ count: BLOCK, atOnce: 1 });
    for (let done = 0; done < options.turns; done += BLOCK) {
      for (const [index, side] of sides.entries()) await sequential(side, dev.pid, samples[index]!);
      say(`  ${done + BLOCK} of ${options.turns} turns, one after the other`);
    }
    for (let round = 0; round < 3; round++) {
      for (const [index, side] of sides.entries()) {
        const { took, wallMs } = await side.run({ count: options.loadTurns, atOnce: options.atOnce });
        samples[index]!.turnsPerSecond.push((took.length * 1000) / wallMs);
      }
      say(`  round ${round + 1} of 3 with ${options.atOnce} at once`);
    }
    return sides.map((side, index) => cell(KINDS[index]!, server, samples[index]!, side));
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    await dev.stop();
  }
}

interface Sample {
  took: number[];
  turnsPerSecond: number[];
  /** Of one turn, ms. */
  workerCpu: number[];
  serverCpu: number[];
}

async function sequential(side: Side, serverPid: number, sample: Sample): Promise<void> {
  const before = [cpuMs(side.pid), cpuMs(serverPid)] as const;
  const { took } = await side.run({ count: BLOCK, atOnce: 1 });
  sample.took.push(...took);
  sample.workerCpu.push((cpuMs(side.pid) - before[0]) / BLOCK);
  sample.serverCpu.push((cpuMs(serverPid) - before[1]) / BLOCK);
}

function cell(kind: Cell['kind'], server: Cell['server'], sample: Sample, side: Side): Cell {
  return {
    kind,
    server,
    medianMs: median(sample.took),
    p99Ms: quantile(sample.took, 0.99),
    turnsPerSecond: median(sample.turnsPerSecond),
    workerCpuMs: median(sample.workerCpu),
    serverCpuMs: median(sample.serverCpu),
    workerMb: residentMb(side.pid),
  };
}
