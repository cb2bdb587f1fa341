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
  const name = `session/${hashJson({ v: 'holdfast.session/1', namespace, session_id })}`;
  const first = await store.registers.update<Json>(name, (value) =>
    value === null ? { value: session_run, answer: session_run } : { answer: value },
  );
  // Sessions of older builds have not written themselves down.
  return { first: first === session_run && !(await turnEnds.hasTurns(session_id)) };
}
