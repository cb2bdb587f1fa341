import { patched } from '@temporalio/workflow';

/**
 * Whether what has no room in the state is refused. Older builds took all of it: their histories go on as they began. It is
 * asked only where something has no room, so that hardly any history has a mark of it.
 */
export function isBounded(): boolean {
  return patched('state-is-bounded');
}

/** Temporal ends a run at about 50,000. */
export const MANY_EVENTS = 20_000;
