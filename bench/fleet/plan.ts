/** The plan of faults: which process or connection is hurt when, and for how long. The same seed gives the same plan. */
import { random } from '../../test/system/support/random';

export const FAULT_KINDS = [
  'kill-worker',
  'stop-worker',
  'pause-worker',
  'kill-gateway',
  'stop-gateway',
  'pause-gateway',
  'cut-network',
  'stall-network',
  'kill-temporal',
  'restart-postgres',
  'fill-disk',
  'step-clock',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each kind is in the deck from which faults are drawn. */
const COPIES: Record<FaultKind, number> = {
  'kill-worker': 4,
  'stop-worker': 2,
  'pause-worker': 3,
  'kill-gateway': 2,
  'stop-gateway': 1,
  'pause-gateway': 1,
  'cut-network': 2,
  'stall-network': 2,
  'kill-temporal': 1,
  'restart-postgres': 1,
  'fill-disk': 1,
  'step-clock': 2,
};

export interface Fault {
  /** Seconds after the start. */
  at: number;
  kind: FaultKind;
  /** `worker-2`, `gateway-1`; null: no process of ours. */
  member: string | null;
  /** Of a fault of the network: the connections to which server. */
  server: 'temporal' | 'postgres' | null;
  /** How long it lasts, seconds; 0: the process ends, and is started again. */
  seconds: number;
}

export interface PlanOptions {
  seed: number;
  /** How long faults happen. */
  seconds: number;
  /** Seconds from one fault to the next. */
  every: number;
  workers: number;
  gateways: number;
  /** Kinds that this machine cannot do. */
  without?: readonly FaultKind[];
}

/** Pauses shorter and longer than heartbeats (12 s), deadlines of attempts (25 s) and health checks. */
const PAUSES = [2, 8, 20, 40];

/**
 * Faults at even distances, each kind as often as its copies in a shuffled deck. `worker-1` and `gateway-1` are never ended, so
 * that a growth of their memory would be seen.
 */
export function planOf({ seed, seconds, every, workers, gateways, without = [] }: PlanOptions): Fault[] {
  const next = random(seed);
  const below = (count: number) => Math.floor(next() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const deck: FaultKind[] = [];
  const draw = (): FaultKind => {
    if (deck.length === 0)
      for (const kind of FAULT_KINDS.filter((one) => !without.includes(one)))
        for (let copy = 0; copy < COPIES[kind]; copy++) deck.splice(below(deck.length + 1), 0, kind);
    return deck.pop()!;
  };
  const faults: Fault[] = [];
  for (let at = Math.min(every, 10); at < seconds; at += every) {
    const kind = draw();
    const ends = kind.startsWith('kill-') || kind.startsWith('stop-');
    const worker = `worker-${ends ? 2 + below(workers - 1) : 1 + below(workers)}`;
    const gateway = `gateway-${ends ? 2 + below(gateways - 1) : 1 + below(gateways)}`;
    const isOfNetwork = kind.endsWith('-network');
    const isOfEither = isOfNetwork || kind === 'step-clock';
    faults.push({
      at,
      kind,
      member: memberOf(kind, worker, gateway, isOfEither && next() < 0.4),
      server: isOfNetwork ? pick(['temporal', 'postgres'] as const) : null,
      seconds: ends || kind === 'restart-postgres' ? 0 : pick(PAUSES),
    });
  }
  return faults;
}

function memberOf(kind: FaultKind, worker: string, gateway: string, prefersGateway: boolean): string | null {
  if (kind === 'kill-temporal' || kind === 'restart-postgres') return null;
  return kind.endsWith('-gateway') || prefersGateway ? gateway : worker;
}
