import type { History } from '@temporalio/common/lib/proto-utils';
import { defaultPayloadConverter } from '@temporalio/common';
import { recordedCallFaults, type RecordedCall } from './recorded-calls';

/** The calls that a history records. */
export function recordedCalls(history: History): RecordedCall[] {
  return (history.events ?? []).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (!scheduled || !['runCall', 'openSubTurn'].includes(scheduled.activityType?.name ?? '')) return [];
    return [
      { activityId: scheduled.activityId ?? '', input: defaultPayloadConverter.fromPayload(scheduled.input!.payloads![0]!) },
    ];
  });
}

/** Throws when a recorded call does not have the digest that was recorded for it. */
export function recomputeDigests(history: History): number {
  const calls = recordedCalls(history);
  const faults = calls.flatMap(recordedCallFaults);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return calls.length;
}
