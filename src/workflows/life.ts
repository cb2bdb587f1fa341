/**
 * The life of a workflow, another one after each reset. Temporal then gives it another random seed, at the same place in
 * every replay. Nothing else that workflow code sees tells: the run's id is the new one from the first event on, and that
 * of the old one where a history is replayed by itself. The seed has no public name in the SDK; without it a reset is
 * noticed where the call runs (activities/after-reset.ts), which is what keeps the effect one.
 */
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

export function life(): string {
  return getActivator().randomnessSeed.join();
}
