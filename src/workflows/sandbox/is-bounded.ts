import { patched } from '@temporalio/workflow';

/**
 * Whether what has no room in the state is refused. Older builds took all of it: their histories go on as they began. It is
 * asked only where something has no room, so that hardly any history has a mark of it.
 */
export function isBounded(): boolean {
  return patched('state-is-bounded');
}
