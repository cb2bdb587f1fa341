/** The input of the revision before, so that a person sees what an edit or a new check changed. */
import type { Question, ShownTurn } from '../../../../../src/shapes/turn-view';
import type { JsonObject } from '../../../../../src/shared/json/json';
import { get } from '../../api/http';

/** Null: it is the first revision, or its input cannot be read. */
export async function inputBefore(view: ShownTurn, { id, revision, of }: Question): Promise<JsonObject | null> {
  if (revision < 2 || of !== undefined) return null;
  const earlier = view.calls.find((call) => call.id === id && call.revision === revision - 1);
  if (!earlier?.digest) return null;
  const address = `v1/turns/${encodeURIComponent(view.turn_id)}/calls/${earlier.digest}`;
  const read = await get<{ input: JsonObject }>(address).catch(() => null);
  return read?.input ?? null;
}
