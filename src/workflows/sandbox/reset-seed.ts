/**
 * Reads the random seed of a workflow, by which workflow code detects a reset: Temporal then gives it another seed, at the same
 * place in every replay. Nothing else shows a reset to workflow code: the run id is the new one from the first event on, and the
 * old one if a history is replayed by itself. The seed has no public name in the SDK. Without it, the activity that runs the call
 * still detects a reset (activities/checks/after-reset.ts); that check prevents a second effect.
 */
import { getActivator } from './activator';

export function resetSeed(): string {
  return getActivator().randomnessSeed.join();
}
