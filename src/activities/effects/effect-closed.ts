/** The one place that hears how a dispatch ended: what was taken for it is given back, or kept. */
import { settleBudgets } from './budgets';
import type { Dependencies } from '../ports';
import { closeIntentOf } from './duplicate-act';
import type { EffectClosed } from './effect-key';

/** May hear the same again, after a crash or a reset. The call's outcome does not wait for it: where nobody answers, it logs that. */
type Listener = (deps: Dependencies, closed: EffectClosed) => Promise<void>;

const LISTENERS: Listener[] = [closeIntentOf, settleBudgets];

export async function effectClosed(deps: Dependencies, closed: EffectClosed): Promise<void> {
  for (const listener of LISTENERS) await listener(deps, closed);
}
