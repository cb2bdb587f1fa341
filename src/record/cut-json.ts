/** Cuts a JSON value to what a list can show: short texts, few entries, few levels. Its shape stays: texts remain texts. */
import { isJsonObject, type Json } from '../shared/json/json';

const MOST_LEVELS = 4;
const CUT = '…';

/** The room for one value, in characters; `cut` becomes true once something was left out. */
export interface CutRoom {
  left: number;
  /** Characters of one text. */
  readonly text: number;
  /** Entries of one list or object. */
  readonly entries: number;
  cut: boolean;
}

/** Uses up the room. */
export function cutJson<T extends Json | undefined>(value: T, room: CutRoom): T {
  return cutValue(value, room, 0) as T;
}

function cutValue(value: Json | undefined, room: CutRoom, level: number): Json | undefined {
  if (typeof value === 'string') return cutText(value, room);
  if (typeof value !== 'object' || value === null) {
    room.left -= 8;
    return value;
  }
  const entries: [string, Json][] = Object.entries(value);
  const most = level < MOST_LEVELS ? room.entries : 0;
  const short: [string, Json][] = [];
  for (const [name, entry] of entries.slice(0, most)) {
    if (room.left <= 0) break;
    // A cut name would be another field.
    if (name.length > room.text) continue;
    room.left -= name.length;
    short.push([name, cutValue(entry, room, level + 1)!]);
  }
  if (short.length < entries.length) room.cut = true;
  return isJsonObject(value) ? Object.fromEntries(short) : short.map(([, entry]) => entry);
}

function cutText(text: string, room: CutRoom): string {
  const most = Math.max(0, Math.min(room.text, room.left));
  room.left -= Math.min(text.length, most);
  if (text.length <= most) return text;
  room.cut = true;
  return `${text.slice(0, most).toWellFormed()}${CUT}`;
}
