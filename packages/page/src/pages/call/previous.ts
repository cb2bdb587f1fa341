/** The input of the revision before, so that a person sees what an edit or a new check changed. */
import type { CallView, Question, ShownTurn } from '../../../../../src/shapes/turn-view';
import type { JsonObject } from '../../../../../src/shared/json/json';
import { get } from '../../api/http';
import { readTurn } from '../../api/turns';

/** Null: it is the first revision, or its input cannot be read. */
export async function inputBefore(view: ShownTurn, question: Question): Promise<JsonObject | null> {
  if (question.revision < 2) return null;
  const turn = question.of?.turn_id ?? view.turn_id;
  try {
    const digest = digestBefore(await callsOf(view, question), question);
    if (digest === null) return null;
    const { input } = await get<{ input: JsonObject }>(`v1/turns/${encodeURIComponent(turn)}/calls/${digest}`);
    return input;
  } catch {
    return null;
  }
}

/** A sub-agent's call has its earlier revisions in the turn in which it waits. */
async function callsOf(view: ShownTurn, { of }: Question): Promise<readonly CallView[]> {
  return of === undefined ? view.calls : (await readTurn(of.turn_id)).calls;
}

function digestBefore(calls: readonly CallView[], { id, revision }: Question): string | null {
  return calls.find((call) => call.id === id && call.revision === revision - 1)?.digest ?? null;
}
