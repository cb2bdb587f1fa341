/** Calls whose repetition does no harm: Temporal retries them, under one idempotency key. */
import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { AdmittedCall } from '../../shared/activity-io';
import { callError } from '../../shared/wire/errors';
import { executeCall } from '../activities';
import { admittedAs, endCall, moveCall } from './call-log';
import type { Admission, Dispatch, HeldBack, Ran } from './dispatch-types';
import { now } from '../sandbox/time';

export async function runRepeatable(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
): Promise<Ran | HeldBack> {
  moveCall(context.data, call.id, 'running');
  const said = { approvals: admission.approvals, earlier: admission.args.earlier ?? [] };
  try {
    const ran = await executeCall(call, {
      turn: context.turn,
      call: admission.args,
      at: now(),
      head: context.data.head!,
      approvals: admission.approvals,
      ...admittedAs(call),
      ...(context.options ? { options: context.options } : {}),
    });
    if (ran.held) return { held: ran.held, took_ms: ran.took_ms };
    return { outcome: endCall(context.data, call, ran.state, { ...ran, ...said }), took_ms: ran.took_ms };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const cause = error.cause?.message ?? error.message;
    const lost = callError('EXECUTION_ERROR', 'attempts_exhausted', `${call.tool} could not be completed: ${cause}`);
    return { outcome: endCall(context.data, call, 'failed', { error: lost, ...said }), took_ms: 0 };
  }
}
