/**
 * The load: a service that starts turns through the gateways at a steady rate, and people who approve, deny, cancel and settle.
 * Each request has an idempotency key and is sent again until it is answered, as a client should do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingRow } from '../../src/shapes/inbox';
import type { ShownTurn } from '../../src/shapes/turn-view';
import { isEnd } from '../../src/shared/turn/turn-states';
import { messageOf } from './model';

/** What people do with the payment of a turn. */
type Will = 'approve' | 'deny' | 'cancel';

/** A turn as the load knows it. */
export interface FleetTurn {
  number: number;
  will: Will;
  /** Null: no gateway has accepted it. */
  id: string | null;
  /** When its first approval was about to be sent, ms since 1970; null: none was. */
  approvedAt: number | null;
  /** Digests of calls that people saw in doubt. */
  inDoubt: Set<string>;
  /** How it ended; null: it has not, as far as the load knows. */
  end: Pick<ShownTurn, 'state' | 'reason' | 'calls'> | null;
  /** A gateway said that there is no such turn. */
  isUnknown: boolean;
}

export interface LoadOptions {
  gateways: readonly string[];
  /** The headers of a starter and of an approver. */
  starter: Record<string, string>;
  approver: Record<string, string>;
  perMinute: number;
  /** How often the ledger has an effect. */
  ledgerCount(key: string): Promise<number>;
}

const REQUEST_MS = 20_000;
const AGAIN_MS = 500;
/** A lost attempt does not act later than this after it was begun: 10 s to begin, 10 s of the tool's own, and what clocks differ by. */
const SETTLE_AFTER_MS = 30_000;
const LOOKED_AT_ONCE = 6;

interface Answer {
  status: number;
  body: unknown;
}

export class Load {
  readonly turns: FleetTurn[] = [];
  /** Answers that were not accepted, by status and reason. */
  readonly refusals = new Map<string, number>();
  private readonly byId = new Map<string, FleetTurn>();
  private readonly busy = new Set<string>();
  private readonly seenInDoubt = new Map<string, number>();
  private readonly open = new Set<FleetTurn>();
  private isStarting = true;
  private isOver = false;
  private next = 0;
  private readonly loops: Promise<void>[];

  constructor(private readonly options: LoadOptions) {
    this.loops = [this.startAll(), this.decideAll(), this.lookAll()];
  }

  /** No new turns from now on; those that began go on. */
  stopStarting(): void {
    this.isStarting = false;
  }

  /** Whether each turn that was to start has ended. */
  hasEnded(): boolean {
    return !this.isStarting && this.open.size === 0;
  }

  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  private async startAll(): Promise<void> {
    const everyMs = 60_000 / this.options.perMinute;
    const pending: Promise<void>[] = [];
    for (let at = Date.now(); this.isStarting && !this.isOver; at += everyMs) {
      pending.push(this.start(this.newTurn()));
      await sleep(Math.max(0, at + everyMs - Date.now()));
    }
    await Promise.all(pending);
  }

  private newTurn(): FleetTurn {
    const number = this.turns.length + 1;
    const will = number % 10 === 0 ? 'deny' : number % 25 === 7 ? 'cancel' : 'approve';
    const turn = {
      number,
      will,
      id: null,
      approvedAt: null,
      inDoubt: new Set<string>(),
      end: null,
      isUnknown: false,
    } as FleetTurn;
    this.turns.push(turn);
    this.open.add(turn);
    return turn;
  }

  private async start(turn: FleetTurn): Promise<void> {
    const body = { agent: 'clerk', message: messageOf(turn.number) };
    const answer = await this.untilAnswered(() => this.post('/v1/turns', `start-${turn.number}`, body, this.options.starter));
    if (answer === null) return;
    if (answer.status !== 202) throw new Error(`A start was refused for good: ${answer.status} ${JSON.stringify(answer.body)}`);
    turn.id = (answer.body as { turn_id: string }).turn_id;
    this.byId.set(turn.id, turn);
  }

  private async decideAll(): Promise<void> {
    while (!this.isOver) {
      const answer = await this.ask('/v1/pending?compact=true&limit=2000', this.options.approver);
      const rows = answer?.status === 200 ? (answer.body as { turns: PendingRow[] }).turns : [];
      for (const row of rows) {
        const turn = this.byId.get(row.turn_id);
        if (turn === undefined || turn.end !== null) continue;
        for (const call of row.calls) {
          if (this.busy.has(call.digest)) continue;
          this.busy.add(call.digest);
          const act = call.state === 'in_doubt' ? this.settle(turn, call) : this.decide(turn, call.digest);
          void act.finally(() => this.busy.delete(call.digest));
        }
      }
      await sleep(1000);
    }
  }

  /** Soon, or after up to a minute, so that turns wait through faults. */
  private async decide(turn: FleetTurn, digest: string): Promise<void> {
    await sleep(turn.number % 5 === 0 ? Math.random() * 60_000 : Math.random() * 4000);
    if (this.isOver) return;
    if (turn.will === 'cancel')
      return void (await this.untilAnswered(() =>
        this.post(`/v1/turns/${turn.id}/cancel`, `cancel-${turn.number}`, {}, this.options.starter),
      ));
    if (turn.will === 'approve') turn.approvedAt ??= Date.now();
    await this.send(turn, `decide-${digest}`, { decision: turn.will, call: digest });
  }

  private async settle(turn: FleetTurn, { digest, idempotency_key: key }: PendingRow['calls'][number]): Promise<void> {
    turn.inDoubt.add(digest);
    const seen = this.seenInDoubt.get(digest) ?? Date.now();
    this.seenInDoubt.set(digest, seen);
    await sleep(Math.max(0, seen + SETTLE_AFTER_MS - Date.now()));
    if (this.isOver) return;
    const outcome = (await this.options.ledgerCount(key!)) > 0 ? 'applied' : 'not_applied';
    await this.send(turn, `settle-${digest}`, { decision: 'settle', call: digest, outcome });
  }

  private async send(turn: FleetTurn, key: string, body: object): Promise<void> {
    await this.untilAnswered(() => this.post(`/v1/turns/${turn.id}/decisions`, key, body, this.options.approver));
  }

  /** Reads turns until they have ended, a few at a time. */
  private async lookAll(): Promise<void> {
    while (!this.isOver) {
      const looked = [...this.open].filter(({ id }) => id !== null);
      for (let from = 0; from < looked.length && !this.isOver; from += LOOKED_AT_ONCE)
        await Promise.all(looked.slice(from, from + LOOKED_AT_ONCE).map((turn) => this.look(turn)));
      await sleep(1500);
    }
  }

  private async look(turn: FleetTurn): Promise<void> {
    const answer = await this.ask(`/v1/turns/${turn.id}`, this.options.approver);
    if (answer?.status === 404) turn.isUnknown = true;
    if (answer?.status !== 200) return;
    const { state, reason, calls } = answer.body as ShownTurn;
    turn.isUnknown = false;
    for (const call of calls) if (call.state === 'in_doubt' && call.digest !== null) turn.inDoubt.add(call.digest);
    if (!isEnd(state)) return;
    turn.end = { state, reason, calls };
    this.open.delete(turn);
  }

  /** Sends a request until it is accepted, or is refused for good. Null: the run was over first. */
  private async untilAnswered(send: () => Promise<Answer | null>): Promise<Answer | null> {
    while (!this.isOver) {
      const answer = await send();
      if (answer !== null && answer.status < 500 && answer.status !== 429) return answer;
      await sleep(AGAIN_MS);
    }
    return null;
  }

  private post(path: string, key: string, body: object, who: Record<string, string>): Promise<Answer | null> {
    const headers = { ...who, 'content-type': 'application/json', 'idempotency-key': key };
    return this.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  private ask(path: string, headers: Record<string, string>): Promise<Answer | null> {
    return this.request(path, { headers });
  }

  /** By one gateway after the other. Null: none answered. */
  private async request(path: string, init: RequestInit): Promise<Answer | null> {
    const { gateways } = this.options;
    const url = gateways[this.next++ % gateways.length]!;
    try {
      const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
      const answer = { status: response.status, body: (await response.json()) as unknown };
      if (answer.status >= 400) this.note(`${answer.status} ${reasonOf(answer.body)}`);
      return answer;
    } catch {
      this.note('no answer');
      return null;
    }
  }

  private note(what: string): void {
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
  }
}

function reasonOf(body: unknown): string {
  return (body as { error?: { reason?: string } } | null)?.error?.reason ?? '';
}
