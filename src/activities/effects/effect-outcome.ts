/** What became of a dispatch: written into the transcript, and told to what was reserved for it. */
import type { RunCallInput } from '../../shared/activity-io';
import { append } from '../../store/core/transcript';
import type { Dependencies } from '../ports';
import { callSubject } from '../../record/subject';
import { effectBlock } from '../../record/write-block';
import { settleBudgets } from './budgets';
import { closeIntentOf } from './duplicate-act';
import type { EffectClosed } from './effect-record';

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

/** May hear the same again, after a crash or a reset. The call's outcome does not wait for it: where nobody answers, it logs that. */
type Listener = (deps: Dependencies, closed: EffectClosed) => Promise<void>;

const LISTENERS: Listener[] = [closeIntentOf, settleBudgets];

export async function effectClosed(deps: Dependencies, closed: EffectClosed): Promise<void> {
  for (const listener of LISTENERS) await listener(deps, closed);
}
