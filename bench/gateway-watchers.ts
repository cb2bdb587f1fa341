/** Measures, with one and with many watchers of a turn, the time from a decision until each watcher has seen the turn's end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import type { Face } from './support/face-process';
import { AGENT } from './support/our-app';
import { cpuMs } from './support/process-figures';
import { median, quantile } from './support/quantile';

export interface Watched {
  watchers: number;
  /** Time from the decision until a watcher has the last event. */
  medianMs: number;
  p99Ms: number;
  /** CPU time of the gateway for one turn. */
  cpuMs: number;
  /** The number of watchers that did not get exactly the same events. */
  wrong: number;
}

export interface Watchers {
  one: Watched;
  many: Watched;
}

const ROUNDS = 7;

export async function watchers(gateway: Face, count: number, say: (line: string) => void): Promise<Watchers> {
  const rounds = { one: [] as Round[], many: [] as Round[] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, watching] of [
      ['one', 1],
      ['many', count],
    ] as const) {
      const watched = await turnWatchedBy(gateway, watching);
      if (round > 0) rounds[name].push(watched);
    }
  say(`  ${ROUNDS} turns with ${count} watchers, ${ROUNDS} with one`);
  return { one: summary(rounds.one, 1), many: summary(rounds.many, count) };
}

interface Round {
  took: number[];
  cpuMs: number;
  wrong: number;
}

async function turnWatchedBy(gateway: Face, count: number): Promise<Round> {
  const turn = await post(gateway, '/v1/turns', { agent: AGENT, message: 'Pay.' });
  const url = `${gateway.url}/v1/turns/${String(turn.turn_id)}`;
  const before = cpuMs(gateway.pid);
  const watching = Array.from({ length: count }, () => new Watcher(`${url}/events`, gateway.headers));
  const [call] = await Promise.all(watching.map((watcher) => watcher.asked));
  await sleep(100);
  const decided = performance.now();
  await post(gateway, `/v1/turns/${String(turn.turn_id)}/decisions`, { decision: 'approve', call });
  const ends = await Promise.all(watching.map((watcher) => watcher.ended));
  const [first] = watching;
  const wrong = watching.filter(({ ids }) => ids.join() !== first!.ids.join() || new Set(ids).size !== ids.length).length;
  return { took: ends.map((at) => at - decided), cpuMs: cpuMs(gateway.pid) - before, wrong };
}

const EVENTS =
  'turn_started step_started step_completed approval_requested approval_decided tool_started tool_result turn_completed';

class Watcher {
  readonly ids: string[] = [];
  readonly asked: Promise<string>;
  /** The time of the turn's end, by `performance.now()`. */
  readonly ended: Promise<number>;

  constructor(url: string, headers: Record<string, string>) {
    const source = new EventSource(url, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
    });
    for (const name of EVENTS.split(' ')) source.addEventListener(name, ({ lastEventId }) => void this.ids.push(lastEventId));
    this.asked = new Promise((resolve) =>
      source.addEventListener('approval_requested', ({ data }) =>
        resolve((JSON.parse(data as string) as { digest: string }).digest),
      ),
    );
    this.ended = new Promise((resolve) =>
      source.addEventListener('turn_completed', () => {
        resolve(performance.now());
        source.close();
      }),
    );
  }
}

async function post({ url, headers }: Face, path: string, body: object): Promise<Record<string, unknown>> {
  const json = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  const answered = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answered)}`);
  return answered;
}

function summary(rounds: Round[], count: number): Watched {
  const took = rounds.flatMap((round) => round.took);
  return {
    watchers: count,
    medianMs: median(took),
    p99Ms: quantile(took, 0.99),
    cpuMs: median(rounds.map((round) => round.cpuMs)),
    wrong: rounds.reduce((sum, { wrong }) => sum + wrong, 0),
  };
}
