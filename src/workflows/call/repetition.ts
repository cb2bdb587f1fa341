/**
 * Detects repeated failures: a call that failed twice with the same input gets advice, and a third time it is refused without
 * running. Decisions by people, and checks that kept the call from its tool, are no failures of the call: the same input may well
 * succeed later.
 */
import { patched } from '@temporalio/workflow';
import type { AdmittedCall, CallOutcome } from '../../shared/io/activities';
import { BEGUN_TOO_LATE, callError, type CallError } from '../../shared/wire/errors';
import { FREEZE } from '../../shared/turn/turn-states';
import { isBounded } from '../turn/state-limits';
import type { TurnData } from '../turn/state';
import { NOT_ASKED } from '../approvals/room-for-decisions';
import { MOST_FAILURES } from '../turn/state-limits';

const ADVICE =
  'This call has failed twice with the same input. Change the approach, or report what you could not do; a third time it is refused without running.';

export function refuseThird(data: TurnData, call: AdmittedCall): CallError | null {
  if ((data.failures[call.input_digest] ?? 0) < 2) return null;
  return callError(
    'EXECUTION_ERROR',
    'repeated_failure',
    `${call.tool || 'This call'} failed twice with this input, so it was not run again.`,
    {
      hint: 'Use another input or another tool, or tell the user what could not be done.',
    },
  );
}

export function rememberFailure(data: TurnData, call: AdmittedCall, outcome: CallOutcome): void {
  if (!isFailure(outcome)) return;
  const count = (data.failures[call.input_digest] ?? 0) + 1;
  const [oldest, ...others] = Object.keys(data.failures);
  if (count === 1 && others.length + 1 >= MOST_FAILURES && isBounded()) delete data.failures[oldest!];
  data.failures[call.input_digest] = count;
  if (count === 2) outcome.note = [outcome.note, ADVICE].filter((note) => note !== null).join(' ');
}

/** Reasons of calls that were lost, held back, stopped or settled. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set([
  BEGUN_TOO_LATE,
  NOT_ASKED,
  'aborted_by_sibling',
  'attempts_exhausted',
  'budget_exhausted',
  'digest_retired',
  'dispatched_twice',
  FREEZE,
  'intent_unavailable',
  'not_applied',
  'outcome_unknown',
  'policy_changed',
  'superseded_by_message',
  'target_changed',
  'tool_busy',
  'tool_changed',
  'turn_cancelled',
]);

/** Reasons of calls that a check stopped right before their tool, because of an approval, a digest or the worker. */
const HELD_BACK: ReadonlySet<string> = new Set([
  'app_not_loaded',
  'approval_by_maker',
  'approval_by_requester',
  'approval_by_schedule',
  'approval_by_trigger',
  'approval_doubled',
  'approval_expired',
  'approval_late',
  'approval_mismatch',
  'approval_missing',
  'approval_not_genuine',
  'approval_unknown',
  'approval_unsigned',
  'digest_mismatch',
]);

/** Older histories, without these patches, still count them as failures. */
function isFailure({ state, error }: CallOutcome): boolean {
  if (!['failed', 'rejected', 'denied'].includes(state)) return false;
  const reason = error?.reason ?? '';
  if (state === 'denied' || CIRCUMSTANCES.has(reason)) return !patched('failures-of-calls');
  if (HELD_BACK.has(reason)) return !patched('calls-held-back');
  return true;
}
