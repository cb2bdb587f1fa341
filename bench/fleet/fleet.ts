/**
 * `npm run bench -- fleet`: workers, gateways, PostgreSQL and Temporal's server as processes or containers under a steady load with approvals,
 * while faults of a seeded plan happen. A ledger of its own counts effects, and at the end the run is judged.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRehearsal } from '../../src/model/rehearsal';
import { person } from '../../test/support/gateway';
import { startContainers } from './containers';
import { readLedger } from './ledger';
import { Load } from './load';
import { answer } from './model';
import { planOf, type Fault } from './plan';
import { startProcesses } from './processes';
import { sample } from './samples';
import { brokenRules, verdictOf, type Verdict } from './verdict';

export interface FleetOptions {
  minutes: number;
  seed: number;
  workers: number;
  gateways: number;
  /** In Docker, by docker-compose.yml; otherwise as processes. */
  containers: boolean;
  /** Turns a minute. */
  perMinute: number;
  /** Seconds from one fault to the next. */
  every: number;
  /** Ends the run in order, as if its time were over. */
  interrupted: AbortSignal;
}

export interface Fleet extends Verdict {
  minutes: number;
  seed: number;
  faults: Record<string, number>;
  restarts: number;
  refusals: Record<string, number>;
  broken: string[];
}

/** After the last fault turns may take as long as they need. Those are stuck of which none has ended for so long. */
const QUIET_MS = 240_000;

export async function fleet(options: FleetOptions, say: (line: string) => void): Promise<Fleet> {
  const closing: (() => unknown)[] = [];
  try {
    return await run(options, say, closing);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function run(options: FleetOptions, say: (line: string) => void, closing: (() => unknown)[]): Promise<Fleet> {
  const { minutes, seed, workers, gateways, containers, interrupted } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const ledger = await startLedger(join(folder, 'ledger.jsonl'));
  closing.push(() => ledger.child.disconnect());
  const model = await startRehearsal({ script: Array.from({ length: 1_000_000 }, () => answer), keep: 1 });
  closing.push(() => model.close());
  const people = { starter: person('fleet/rita', 'starter'), approver: person('fleet/ana', 'approver') };
  const around = { folder, ledger: ledger.url, model: model.baseUrl, people, say };
  const deployment = await (containers ? startContainers(options, around) : startProcesses(options, around));
  closing.push(() => deployment.close());
  const plan = planOf({ ...options, seconds: minutes * 60, without: deployment.impossible });
  say(`  ${workers} workers and ${gateways} gateways are ready; ${plan.length} faults in ${minutes} minutes; output: ${folder}`);

  const began = Date.now();
  const { samples, stop } = sample(deployment);
  closing.push(stop);
  const ledgerCount = async (key: string) =>
    ((await (await fetch(`${ledger.url}/effects?key=${key}`)).json()) as { count: number }).count;
  const load = new Load({
    ...{ gateways: deployment.urls, perMinute: options.perMinute, ledgerCount },
    ...{ starter: people.starter.headers, approver: people.approver.headers },
  });
  closing.push(() => load.close());
  const done: Record<string, number> = {};
  const running: Promise<void>[] = [];
  const progress = setInterval(() => say(progressOf(began, load, running.length)), 30_000);
  closing.push(() => clearInterval(progress));
  const wait = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: interrupted }).catch(() => undefined);
  for (const fault of plan) {
    await wait(began + fault.at * 1000 - Date.now());
    if (interrupted.aborted) break;
    say(describeFault(fault));
    running.push(deployment.inject(fault, interrupted));
    done[fault.kind] = (done[fault.kind] ?? 0) + 1;
  }
  await wait(began + minutes * 60_000 - Date.now());
  load.stopStarting();
  await Promise.all(running);
  say('  the faults are over; the last turns end');
  await untilEnded(load);
  const ran = (Date.now() - began) / 60_000;
  const verdict = verdictOf(load.turns, readLedger(join(folder, 'ledger.jsonl')), samples);
  const broken = brokenRules(verdict, ran);
  if (broken.length > 0) closing.shift(); // the output of the processes tells why
  const restarts = deployment.restarts();
  return { minutes: ran, seed, faults: done, restarts, refusals: Object.fromEntries(load.refusals), ...verdict, broken };
}

async function untilEnded(load: Load): Promise<void> {
  for (let [ended, at] = [-1, 0]; !load.hasEnded(); await sleep(500)) {
    const now = load.turns.filter(({ end }) => end !== null).length;
    if (now > ended) [ended, at] = [now, Date.now()];
    else if (Date.now() - at > QUIET_MS) return;
  }
}

async function startLedger(file: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(__dirname, 'ledger.ts'), [file], { execArgv: ['--import', 'tsx'], stdio: 'inherit' });
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

function describeFault({ kind, member, server, seconds }: Fault): string {
  return `  ${kind}${member === null ? '' : ` ${member}`}${server === null ? '' : ` to ${server}`}${seconds > 0 ? `, ${seconds} s` : ''}`;
}

function progressOf(began: number, { turns }: Load, faults: number): string {
  const ended = turns.filter(({ end }) => end !== null).length;
  const inDoubt = turns.reduce((sum, turn) => sum + turn.inDoubt.size, 0);
  return `  ${Math.round((Date.now() - began) / 1000)} s: ${turns.length} turns, ${ended} ended; ${faults} faults; ${inDoubt} calls were in doubt`;
}
