/** Measures what traces cost a worker: CPU and time of a turn with a collector, beside the same without. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { cpuMs } from './support/process-figures';
import { median } from './support/quantile';
import { Side } from './support/side-process';
import { SHORT_TURN } from './support/workload';

export interface TraceCost {
  turns: number;
  off: TurnCost;
  on: TurnCost;
  /** Requests to the collector. */
  exports: number;
}

export interface TurnCost {
  medianMs: number;
  cpuMsPerTurn: number;
}

/** The two kinds take turns, so that both meet the same noise. */
const ROUNDS = 3;
const WARM_UP = 20;

export async function traces(turns: number, say: (line: string) => void): Promise<TraceCost> {
  const { path } = await findTemporalCli({ onProgress: say });
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  let exports = 0;
  const collector = createServer((request, response) => {
    request.resume().on('end', () => {
      exports += 1;
      response.end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const otlp = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const costs: Record<'off' | 'on', TurnCost[]> = { off: [], on: [] };
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['off', 'on'] as const) {
        costs[kind].push(await costOf(dev.address, kind === 'on' ? otlp : undefined, turns));
        say(`traces ${kind}: ${JSON.stringify(costs[kind].at(-1))}`);
      }
  } finally {
    collector.closeAllConnections();
    collector.close();
    await dev.stop();
  }
  return { turns, off: middle(costs.off), on: middle(costs.on), exports };
}

async function costOf(address: string, otlp: string | undefined, turns: number): Promise<TurnCost> {
  const side = await Side.start({ kind: 'ours', address, script: SHORT_TURN, ...(otlp === undefined ? {} : { otlp }) });
  try {
    await side.run({ count: WARM_UP, atOnce: 1 });
    const before = cpuMs(side.pid);
    const { took } = await side.run({ count: turns, atOnce: 1 });
    return { medianMs: median(took), cpuMsPerTurn: (cpuMs(side.pid) - before) / turns };
  } finally {
    await side.stop();
  }
}

function middle(costs: TurnCost[]): TurnCost {
  return {
    medianMs: median(costs.map(({ medianMs }) => medianMs)),
    cpuMsPerTurn: median(costs.map(({ cpuMsPerTurn }) => cpuMsPerTurn)),
  };
}
