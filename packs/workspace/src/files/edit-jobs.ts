/**
 * Edits and diffs, which run in threads. To find a passage of 100,000 characters in a file of 16 MiB takes milliseconds, or minutes
 * if both repeat themselves; the model writes the passage, and may have written the file.
 */
import { join } from 'node:path';
import { defineJob } from 'holdfast/tools';
import { unifiedDiff } from './diff';
import { applyEdit, type Edit } from './edit';
import type { Names } from './path';
import { sha256, textOf } from './text';

interface EditInput {
  before: Uint8Array;
  names: Names;
  edit: Edit;
  /** This is not the first attempt of the call. */
  repeated: boolean;
}

export type EditedFile =
  | { already_applied: true; sha256: string }
  | { already_applied: false; sha256: string; after: Uint8Array; line: number };

export const TOO_LONG_FOR_A_DIFF = 'diff_too_slow';

const LIMITS = {
  ms: 5000,
  reason: 'edit_too_slow',
  hint: 'Give a shorter old_text that is not one piece repeated, or write the file anew with write_file.',
};

const HERE = join(__dirname, 'edit-jobs');
export const editJob = defineJob<EditInput, EditedFile>(HERE, 'editFile', 'The edit', LIMITS);
export const editDiffJob = defineJob<Omit<EditInput, 'repeated'>, string>(HERE, 'editDiff', 'The diff', LIMITS);
export const diffJob = defineJob<DiffInput, string>(HERE, 'diff', 'The diff', {
  ...LIMITS,
  ms: 20_000,
  reason: TOO_LONG_FOR_A_DIFF,
});

export function editFile({ before, names, edit, repeated }: EditInput): EditedFile {
  const outcome = applyEdit(textOf(before, names), edit, repeated);
  if (outcome.already_applied) return { already_applied: true, sha256: sha256(before) };
  const after = Buffer.from(outcome.after, 'utf8');
  return { already_applied: false, sha256: sha256(after), after, line: outcome.line };
}

export function editDiff({ before, names, edit }: Omit<EditInput, 'repeated'>): string {
  const text = textOf(before, names);
  const outcome = applyEdit(text, edit, false);
  return outcome.already_applied ? `${edit.path}: this edit was made before` : unifiedDiff(edit.path, text, outcome.after);
}

interface DiffInput {
  path: string;
  /** Null for a new file. */
  before: Uint8Array | null;
  names: Names;
  after: string;
}

export function diff({ path, before, names, after }: DiffInput): string {
  return unifiedDiff(path, before && textOf(before, names), after);
}
