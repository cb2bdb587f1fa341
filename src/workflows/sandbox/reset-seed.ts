/**
 * The random seed of a workflow, by which code of a workflow sees a reset: Temporal then gives it another one, at the same
 * place in every replay. Nothing else that workflow code sees tells: the run's id is the new one from the first event on, and that
 * of the old one where a history is replayed by itself. The seed has no public name in the SDK; without it a reset is
 * noticed where the call runs (activities/checks/after-reset.ts), which is what keeps the effect one.
 */
import { getActivator } from './activator';

export function resetSeed(): string {
  return getActivator().randomnessSeed.join();
}
