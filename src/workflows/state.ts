/** What a turn holds between its steps: plain data, small, the same after a replay. */
import type { CallOutcome, TurnInput, TurnPolicy } from '../shared/activity-io';
import type { IgnoredSignal, TurnView } from '../shared/turn-view';

type Shown = 'state' | 'head' | 'step' | 'text' | 'reason' | 'usage' | 'calls' | 'started_at' | 'ended_at';

export interface TurnData extends Pick<TurnView, Shown> {
  ignored: TurnView['ignored_signals'];
  /** Null until the first step has answered. */
  policy: TurnPolicy | null;
  /** Results that the next step appends. */
  outcomes: CallOutcome[];
  /** How often a call with this input digest has failed. */
  failures: Record<string, number>;
  /** Working time so far, ms. */
  worked_ms: number;
}

export function newTurn(input: TurnInput, now: string): TurnData {
  return {
    state: 'running',
    head: input.parent_head,
    step: 0,
    text: '',
    reason: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 },
    calls: [],
    ignored: { count: 0, last: [] },
    started_at: now,
    ended_at: null,
    policy: null,
    outcomes: [],
    failures: {},
    worked_ms: 0,
  };
}

const KEPT_SIGNALS = 50;

/** A signal that changed nothing: counted, and the last 50 kept. */
export function ignoreSignal(data: TurnData, ignored: IgnoredSignal): void {
  data.ignored.count += 1;
  data.ignored.last = [...data.ignored.last.slice(1 - KEPT_SIGNALS), ignored];
}

/** True when there were destructive calls and none of them did, or may have done, anything. */
export function allRefused(data: TurnData): boolean {
  const destructive = data.calls.filter((call) => call.class === 'destructive' && call.digest !== null);
  return destructive.length > 0 && destructive.every((call) => call.effect === 'refused');
}
