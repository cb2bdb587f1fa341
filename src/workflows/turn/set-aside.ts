/**
 * What people have said, taken out of a turn's state: where it is long the store has it, and the state goes on in another run
 * without it.
 */
import { isJsonObject, type Json } from '../../shared/json/json';

/** What was said, and who has said it. Only lists and objects of these names are taken out. */
const FIELDS = new Set(['approvals', 'earlier', 'settlements', 'decision', 'decisions', 'by', 'makers']);
/** What a model has written has names of its own. */
const FOREIGN = 'input';

/** Where each piece is, by its JSON. */
export type Places = ReadonlyMap<string, number>;

/**
 * @param places of the pieces that are taken out; absent: all are, in the order in which they stand
 * @returns what was said, and the value with its place there in stead of each piece
 */
export function setAside(value: Json, places?: Places): { rest: Json; said: Json[] } {
  const said: Json[] = [];
  const place = (held: Json) => (places ? (places.get(JSON.stringify(held)) ?? held) : said.push(held) - 1);
  const rest = mapped(value, (held) => (isSaid(held) ? place(held) : held));
  return { rest, said };
}

export function placesOf(said: Json[]): Places {
  return new Map(said.map((held, place) => [JSON.stringify(held), place]));
}

/** The reverse. @param said null: it is not known yet, and nothing stands in its place */
export function putBack(rest: Json, said: Json[] | null): Json {
  return mapped(rest, (held, name) => {
    if (typeof held !== 'number') return held;
    if (said === null) return name === 'decision' ? null : [];
    return said[held]!;
  });
}

function isSaid(held: Json): boolean {
  return Array.isArray(held) ? held.length > 0 : isJsonObject(held);
}

/** @param change what becomes of a field with one of the names */
function mapped(value: Json, change: (held: Json, name: string) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, held]) => (held as unknown) !== undefined);
  return Object.fromEntries(
    fields.map(([name, held]) => {
      if (name === FOREIGN) return [name, held];
      return [name, FIELDS.has(name) ? change(held, name) : mapped(held, change)];
    }),
  );
}
