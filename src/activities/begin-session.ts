import { Context } from '@temporalio/activity';
import type { BeginSessionInput, BeginSessionOutput } from '../shared/activity-io';
import { hashJson } from '../shared/digests';
import type { Json } from '../shared/json';
import type { Dependencies } from './dependencies';

/**
 * Whether this is the first session of its id. Temporal lets an id begin anew after a session was terminated, or forgotten; the
 * turns of the one before may still be there, run, and stand in the store. So the store keeps which was the first.
 */
export async function beginSession(
  { store, turnEnds }: Pick<Dependencies, 'store' | 'turnEnds'>,
  { session_id, session_run }: BeginSessionInput,
): Promise<BeginSessionOutput> {
  const { namespace } = Context.current().info;
  const hash = hashJson({ v: 'holdfast.session/1', namespace, session_id });
  // Under this name builds until November 2026 have written it down; it is swept after a month.
  const { value: older } = await store.registers.read(`session/${hash}`);
  const first = await store.registers.update<Json>(`kept/session/${hash}`, (value) => {
    const known = value ?? older;
    return known === null ? { value: session_run, answer: session_run } : { answer: known };
  });
  // Sessions of older builds have not written themselves down.
  return { first: first === session_run && !(await turnEnds.hasTurns(session_id)) };
}
