/**
 * Who has said something in the conversation that a turn goes on with: asked for an earlier turn, sent a message to one, or
 * decided on a call of one with words that the model reads. What was said to a sub-agent came back as its answer.
 */
import { samePerson } from '../../shared/approval/approval';
import { readBlock, type ReadBlock } from '../../record/read-block';
import type { Store } from '../../store/store';
import { walk } from '../../store/core/transcript';

/** Their names travel with every call: the last ones. */
const MOST_PEOPLE = 20;

/** Besides the requester of the turn that begins; each person once. */
export async function earlierSpeakers(store: Store, head: string | null, requester: string): Promise<string[]> {
  const people: string[] = [];
  for (const name of (await namesUpTo(store, head)).reverse())
    if (name !== '' && ![requester, ...people].some((one) => samePerson(one, name))) people.push(name);
  return people.slice(0, MOST_PEOPLE);
}

async function namesUpTo(store: Store, head: string | null): Promise<string[]> {
  const names: string[] = [];
  for (const stored of await walk(store, head)) {
    const block = readBlock(stored);
    if (block === null) continue;
    names.push(...namesIn(block));
    for (const below of headsBelow(block)) names.push(...(await namesUpTo(store, below)));
  }
  return names;
}

function namesIn(block: ReadBlock): string[] {
  switch (block.kind) {
    case 'start':
      return [block.requester ?? ''];
    case 'message':
      return block.steer === null ? [] : [block.steer.by];
    case 'decision':
      return block.decision === 'edit' || (block.decision !== 'approve' && hasWords(block)) ? [block.by ?? ''] : [];
    case 'settlement':
      return hasWords(block) ? [block.by ?? ''] : [];
    default:
      return [];
  }
}

function hasWords({ note }: { note: string | null }): boolean {
  return note !== null && note.trim() !== '';
}

/** Of the turns of sub-agents whose answers stand here. */
function headsBelow(block: ReadBlock): string[] {
  return block.kind === 'message' ? block.sub_turns.flatMap(({ head }) => head ?? []) : [];
}
