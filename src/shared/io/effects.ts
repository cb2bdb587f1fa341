/** What became of an effect. */
import type { Settlement } from '../approval/approval';
import type { CallArguments } from './call';
import type { RunCallOutput } from './run';
import type { TurnContext } from './turn';

/** After an attempt was lost: what does the effect record say? */
export interface InspectEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Why the attempt is thought lost. */
  cause: string;
}

export type InspectEffectOutput = { found: 'nothing_happened'; head: string } | { found: 'outcome'; outcome: RunCallOutput };

/** The last of those who say so, and all of them. */
export interface SettleEffectInput extends Settlement {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Absent in older histories: it is the one. */
  settlements?: Settlement[];
}

/** Asks the tool's own probe what became of a call in doubt. */
export interface ReconcileEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** ISO 8601. Before it the lost attempt may still be alive: that nothing has happened is not believed yet. */
  not_applied_from: string;
}

/** `evidence` is what the probe saw, for the card; `settled` is there once the outcome is known. */
export interface ReconcileEffectOutput {
  evidence: string;
  /** ISO 8601. The probe has found nothing, and an attempt may still act: from then on it is believed. */
  not_applied_from?: string;
  settled: RunCallOutput | null;
}
