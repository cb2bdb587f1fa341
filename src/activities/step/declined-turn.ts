/**
 * Replaces a turn that the model declined to answer by a note. The vendor also declines every later request that contains the
 * turn, so that the session would never get an answer again. The chain keeps the whole turn.
 */
import type { Json } from '../../shared/json/json';
import type { Entry } from './conversation';

/** @param began hash of the block of the turn's first message; if a summary replaced it, the turn continues after the summary */
export function replaceDeclinedTurn(entries: Entry[], began: string | null): Entry[] {
  const index = entries.findIndex(({ hash }) => hash === began);
  const from = index < 0 ? Math.min(1, entries.length) : index;
  const turnEntries = entries.slice(from);
  const hash = turnEntries.at(-1)?.hash;
  if (hash === undefined) return entries;
  return [
    ...entries.slice(0, from),
    { hash, message: { role: 'user', content: [{ type: 'text', text: noteOf(turnEntries, hash) }] } },
  ];
}

function noteOf(entries: Entry[], hash: string): string {
  const blocks = entries.flatMap(({ message }) => message.content);
  const names = new Map(blocks.flatMap(({ type, id, name }) => (type === 'tool_use' ? [[id, name] as const] : [])));
  const results = blocks.flatMap(({ type, tool_use_id, is_error }) =>
    type === 'tool_result' ? [`${nameOf(names.get(tool_use_id))} (with ${is_error === true ? 'an error' : 'a result'})`] : [],
  );
  const calls = results.length === 0 ? '' : ` Calls that it made: ${results.join(', ')}. They may have taken effect.`;
  return `[The messages of this turn were left out: the model declined to answer them. They are kept up to block ${hash}.${calls}]`;
}

function nameOf(name: Json | undefined): string {
  return JSON.stringify(String(name ?? '').slice(0, 64).toWellFormed()); // oxfmt-ignore
}
