import type { RunCallInput } from '../../shared/activity-io';
import { append } from '../../store/transcript';
import type { Dependencies } from '../ports';
import { callSubject } from '../../record/subject';
import { effectBlock } from '../../record/write-block';

/** What the model reads of a call in doubt. */
export const IN_DOUBT_HINT = 'It is not known whether this call took effect. Do not repeat it.';

/** Writes into the transcript what became of a dispatch. Returns the new head. */
export function appendEffect(
  { store }: Dependencies,
  { turn, call, at }: Pick<RunCallInput, 'turn' | 'call' | 'at'>,
  effect: { parent: string; dispatch: number; key: string; effect: string; result_ref: string },
): Promise<string> {
  const block = effectBlock({
    call_id: call.id,
    digest: call.digest,
    dispatch: effect.dispatch,
    idempotency_key: effect.key,
    effect: effect.effect,
    result_ref: effect.result_ref,
    subject: callSubject(turn, call),
  });
  return append(store, turn.first_execution_run_id, { parent: effect.parent, at, ...block });
}
