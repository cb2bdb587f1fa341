/** Calls that static admission left undecided: what `admitCall` is told, and what becomes of its answer. */
import type { AdmitCallInput, AdmittedCall, DecidedCall, Denials } from '../../shared/activity-io';
import { viewOf } from './call-log';
import type { TurnData } from '../turn/state';

/** Each is told of on the next card, and goes on in every run. */
const MOST_CHANGES = 20;

const NONE: Denials = { in_a_row: 0, in_all: 0 };

export function openFacts(data: TurnData, call: AdmittedCall): Pick<AdmitCallInput, 'undecided' | 'changes'> {
  return {
    ...(call.changes ? { changes: call.changes } : {}),
    ...(call.undecided ? { undecided: { untrusted: call.untrusted ?? false, denials: data.denials ?? NONE } } : {}),
  };
}

/** From here on the call is what was decided: its input, verdict and reason. */
export function takeDecided(data: TurnData, call: AdmittedCall, decided: DecidedCall): void {
  const { by_classifier, changes, ...fields } = decided;
  Object.assign(call, fields, { changes: [...(call.changes ?? []), ...changes].slice(-MOST_CHANGES) });
  viewOf(data, call.id).approval.required = decided.verdict === 'ask';
  if (by_classifier) endDenials(data);
}

export function countDenial(data: TurnData): void {
  const { in_a_row, in_all } = data.denials ?? NONE;
  data.denials = { in_a_row: in_a_row + 1, in_all: in_all + 1 };
}

/** The classifier or a person has approved: the row is over, the turn's count stays. */
export function endDenials(data: TurnData): void {
  if (data.denials) data.denials = { ...data.denials, in_a_row: 0 };
}
