/** Whether a run enforces the size limits of its state, and how many events it may have. */
import { patched } from '@temporalio/workflow';

/**
 * Whether data that has no room in the state is refused. Older builds accepted all of it, and their histories continue so. Call
 * it only if something has no room, so that few histories get the patch marker.
 */
export function isBounded(): boolean {
  return patched('state-is-bounded');
}

/** A run with more refuses input. Temporal ends it at about 50,000. */
export const MANY_EVENTS = 20_000;
