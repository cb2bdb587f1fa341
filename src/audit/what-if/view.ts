/** A what-if as JSON, for the command line and the gateway: names in snake_case. */
import type { CallDecision, Stop, TurnDiff, WhatIf } from './types';

type StopView = { before_step: number; reason: string } | 'cannot_tell' | null;

interface CallView {
  call_id: string;
  revision: number;
  tool: string;
  version: string;
  class: string;
  was: CallDecision;
  would: CallDecision;
  differs: boolean;
  after_difference: boolean;
}

export interface WhatIfView {
  agent: string;
  differences: number;
  unknown: number;
  turns: {
    turn_id: string;
    agent: string;
    was_stopped: StopView;
    would_stop: StopView;
    differs: boolean;
    hidden_calls: number;
    calls: CallView[];
  }[];
}

export function whatIfView({ agent, turns, differences, unknown }: WhatIf): WhatIfView {
  return { agent, differences, unknown, turns: turns.map(turnView) };
}

function turnView({ turnId, agent, wasStopped, wouldStop, differs, calls, hidden }: TurnDiff): WhatIfView['turns'][number] {
  return {
    turn_id: turnId,
    agent,
    was_stopped: stopView(wasStopped),
    would_stop: stopView(wouldStop),
    differs,
    hidden_calls: hidden,
    calls: calls.map(({ callId, afterDifference, ...call }) => ({ call_id: callId, ...call, after_difference: afterDifference })),
  };
}

function stopView(stop: Stop | 'cannot_tell' | null): StopView {
  return stop === null || stop === 'cannot_tell' ? stop : { before_step: stop.beforeStep, reason: stop.reason };
}
