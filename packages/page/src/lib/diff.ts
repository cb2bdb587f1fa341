/** What changed between two inputs of a call: the fields that differ, and of long texts the lines that differ. */
import { isJsonObject, type Json } from '../../../../src/shared/json/json';

export interface FieldChange {
  /** Such as `items[2].amount`; empty: the whole value. */
  path: string;
  /** Absent: there was none. */
  before?: Json;
  /** Absent: there is none any more. */
  after?: Json;
}

/** The fields that differ, in the order of their first appearance. */
export function changedFields(before: Json, after: Json, path = ''): FieldChange[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => step(before[index], after[index], `${path}[${index}]`)).flat();
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const own = (of: { [key: string]: Json }, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined);
    return names.flatMap((name) => step(own(before, name), own(after, name), member(path, name)));
  }
  return Object.is(before, after) ? [] : [{ path, before, after }];
}

function step(before: Json | undefined, after: Json | undefined, path: string): FieldChange[] {
  if (before === undefined) return after === undefined ? [] : [{ path, after }];
  if (after === undefined) return [{ path, before }];
  return changedFields(before, after, path);
}

function member(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

export interface LineChange {
  is: 'same' | 'removed' | 'added';
  text: string;
}

/** Longer texts are compared as two blocks: the table of the comparison has a cell for each pair of lines. */
const MOST_LINES = 600;

/** The lines of both texts, in order. The lines of `same` and `removed` are the old text, those of `same` and `added` the new one. */
export function changedLines(before: string, after: string): LineChange[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const lines = (is: LineChange['is'], texts: string[]): LineChange[] => texts.map((text) => ({ is, text }));
  const middle = between(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  return [...lines('same', old.slice(0, start)), ...middle, ...lines('same', old.slice(old.length - end))];
}

/** The longest common subsequence of both, by the usual table. */
function between(old: string[], fresh: string[]): LineChange[] {
  const removed = (text: string): LineChange => ({ is: 'removed', text });
  const added = (text: string): LineChange => ({ is: 'added', text });
  if (old.length > MOST_LINES || fresh.length > MOST_LINES) return [...old.map(removed), ...fresh.map(added)];
  const width = fresh.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column]!;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = fresh.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      changes.push({ is: 'same', text: old[row]! });
      row += 1;
      column += 1;
    } else if (column >= fresh.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      changes.push(removed(old[row]!));
      row += 1;
    } else {
      changes.push(added(fresh[column]!));
      column += 1;
    }
  }
  return changes;
}
