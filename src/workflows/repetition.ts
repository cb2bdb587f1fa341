/** The same call failing twice with the same input: advice; a third time it is refused without running. */
import type { AdmittedCall, CallOutcome } from '../shared/activity-io';
import { callError, type CallError } from '../shared/errors';
import { isBounded } from './is-bounded';
import type { TurnData } from './state';
import { NOT_ASKED } from './said';
import { MOST_FAILURES } from './state-limits';

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
  if (!['failed', 'rejected', 'denied'].includes(outcome.state)) return;
  if (outcome.state === 'rejected' && outcome.error?.reason === NOT_ASKED) return;
  const count = (data.failures[call.input_digest] ?? 0) + 1;
  const [oldest, ...others] = Object.keys(data.failures);
  if (count === 1 && others.length + 1 >= MOST_FAILURES && isBounded()) delete data.failures[oldest!];
  data.failures[call.input_digest] = count;
  if (count === 2) outcome.note = [outcome.note, ADVICE].filter((note) => note !== null).join(' ');
}
