/**
 * Replaces one passage of a text once; pure. The rules make a repetition harmless. Without a hash of the file, an edit is accepted
 * only if its result no longer contains the old text, so that a second run finds nothing to do. With a hash, a second run is
 * recognised by undoing the edit and comparing.
 */
import { linesOf, sha256 } from './text';
import { invalid } from './refusals';
import type { ToolError } from 'holdfast/tools';

export interface Edit {
  path: string;
  old_text: string;
  new_text: string;
  expected_sha256?: string;
}

export type EditOutcome = { already_applied: false; after: string; line: number } | { already_applied: true };

const LISTED_LINES = 10;
/** Most bytes that are hashed to recognise an edit that was made before. */
const UNDO_BYTES = 128 * 1024 * 1024;
/** Most positions that are tried. */
const UNDO_PLACES = 20_000;

/** @param isRepetition this is not the first attempt of the call */
export function applyEdit(text: string, edit: Edit, isRepetition: boolean): EditOutcome {
  const { path, old_text, new_text, expected_sha256 } = edit;
  const current = sha256(text);
  if (expected_sha256 !== undefined && expected_sha256 !== current) {
    if (wasApplied(text, { ...edit, expected_sha256 })) return { already_applied: true };
    throw fileChangedError(path, expected_sha256, current);
  }
  const places = placesOf(text, old_text, LISTED_LINES + 1);
  if (places.length === 0 && isRepetition && new_text !== '' && text.includes(new_text)) return { already_applied: true };
  if (places.length === 0) throw noMatch(path, text, new_text);
  if (places.length > 1) throw severalMatches(path, text, places);

  const at = places[0]!;
  const after = text.slice(0, at) + new_text + text.slice(at + old_text.length);
  if (expected_sha256 === undefined && after.includes(old_text)) {
    throw invalid(
      'needs_hash',
      `After this edit ${path} would still hold old_text, so a repetition of the call would edit it twice.`,
      `Give expected_sha256, the hash that read_file gave (now ${current}), or an old_text that is gone afterwards.`,
    );
  }
  return { already_applied: false, after, line: lineOf(text, at) };
}

export function fileChangedError(path: string, expectedHash: string, current: string | null): ToolError {
  const now = current === null ? 'is not there' : `now has the sha256 ${current}`;
  return invalid(
    'file_changed',
    `${path} is not what you read: you expected the sha256 ${expectedHash}, and it ${now}.`,
    'Read it again, and make the change against what it says now.',
  );
}

/** True if putting the old text back somewhere gives the expected file. */
function wasApplied(text: string, { old_text, new_text, expected_sha256 }: Edit): boolean {
  const most = Math.max(1, Math.min(UNDO_PLACES, Math.floor(UNDO_BYTES / (Buffer.byteLength(text) + 1))));
  const places = new_text === '' ? gaps(text, most) : placesOf(text, new_text, most);
  return places.some((at) => sha256(text.slice(0, at) + old_text + text.slice(at + new_text.length)) === expected_sha256);
}

/** Where a deleted text may have been: anywhere in a small file, between lines in a large one. */
function gaps(text: string, most: number): number[] {
  if (text.length < most) return Array.from({ length: text.length + 1 }, (_, at) => at);
  const starts = [0, ...placesOf(text, '\n', most).map((at) => at + 1)];
  return starts.slice(0, most);
}

/** Overlapping places count too: `aa` is twice in `aaa`, and the edit does not say which one it means. */
function placesOf(text: string, part: string, most: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && places.length < most; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function noMatch(path: string, text: string, newText: string): ToolError {
  const there = newText !== '' && text.includes(newText) ? ' new_text is in it already.' : '';
  return invalid(
    'no_match',
    `old_text is not in ${path}.${there}`,
    'Read the file, and copy old_text exactly, with its spaces and line ends.',
  );
}

function severalMatches(path: string, text: string, places: number[]): ToolError {
  const lineNumbers = places.slice(0, LISTED_LINES).map((at) => lineOf(text, at));
  const count = places.length > LISTED_LINES ? `more than ${LISTED_LINES} times` : `${places.length} times`;
  return invalid(
    'several_matches',
    `old_text is ${count} in ${path}, at the lines ${lineNumbers.join(', ')}${places.length > LISTED_LINES ? '…' : ''}.`,
    'Give more of the text around the one that you mean, so that it is there exactly once.',
  );
}

export function lineCount(text: string): number {
  return linesOf(text).length;
}
