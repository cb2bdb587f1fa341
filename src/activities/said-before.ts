/**
 * Who has said something in the conversation that a turn goes on with: asked for an earlier turn, sent a message to one, or
 * decided on a call of one with words that the model reads. What was said to a sub-agent came back as its answer.
 */
import { samePerson } from '../shared/approval';
import { isJsonObject, type Json } from '../shared/json';
import type { Store, StoredBlock } from '../store/store';
import { walk } from '../store/transcript';

/** Their names travel with every call: the last ones. */
const MOST_PEOPLE = 20;

/** Besides the requester of the turn that begins; each person once. */
export async function saidBefore(store: Store, head: string | null, requester: string): Promise<string[]> {
  const people: string[] = [];
  for (const name of (await namesIn(store, head)).reverse())
    if (name !== '' && ![requester, ...people].some((one) => samePerson(one, name))) people.push(name);
  return people.slice(0, MOST_PEOPLE);
}

async function namesIn(store: Store, head: string | null): Promise<string[]> {
  const names: string[] = [];
  for (const stored of await walk(store, head)) {
    names.push(...namesOf(stored));
    for (const below of headsBelow(stored)) names.push(...(await namesIn(store, below)));
  }
  return names;
}

function namesOf({ block, bodies: [body = null] }: StoredBlock): string[] {
  if (!isJsonObject(body)) return [];
  const { requester, steer, decision, by, note } = body;
  if (block.kind === 'start') return [String(requester)];
  if (block.kind === 'message') return isJsonObject(steer ?? null) ? [String((steer as { by: Json }).by)] : [];
  if (block.kind !== 'decision' && block.kind !== 'settlement') return [];
  const said = decision === 'edit' || (decision !== 'approve' && typeof note === 'string' && note.trim() !== '');
  return said ? [String(by)] : [];
}

/** Of the turns of sub-agents whose answers stand here. */
function headsBelow({ block, bodies: [body = null] }: StoredBlock): string[] {
  const turns = block.kind === 'message' && isJsonObject(body) && Array.isArray(body.sub_turns) ? body.sub_turns : [];
  return turns.flatMap((turn) => (isJsonObject(turn) && typeof turn.head === 'string' ? [turn.head] : []));
}
