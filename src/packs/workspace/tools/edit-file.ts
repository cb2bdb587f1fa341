import { z } from 'zod';
import { defineTool, type CheckFault } from '../../../tools/define';
import { isToolError } from '../../../tools/errors';
import { applyEdit, type Edit } from '../files/edit';
import { unifiedDiff } from '../files/diff';
import { joined, namesOf, pathFault } from '../files/path';
import { notFound } from '../files/refusals';
import { replaceFile } from '../files/replace';
import { sha256, textOf } from '../files/text';
import type { Workspace } from '../files/workspace';
import { contentHash, filePath, pathTarget, writesOne } from './inputs';

/** `{path, old_text, new_text, expected_sha256?}` → `{path, already_applied, line?, sha256}`. */
export function editFileTool(workspace: Workspace) {
  return defineTool({
    name: 'edit_file',
    version: '1.0.0',
    class: 'write',
    group: 'workspace',
    description: {
      does: 'Replaces one passage of one text file of the workspace. old_text must be there exactly once.',
      returns: 'path; already_applied, true when this very edit was made before; line of the change; the new sha256.',
      useWhen: 'A small part of a file that you have read changes.',
      dontUseFor: 'New files or whole files (write_file), or the same change in many places (several calls, or bash).',
      example: '{"path": "/src/a.ts", "old_text": "const port = 80;", "new_text": "const port = 8080;"}',
      warning:
        'Copy old_text exactly, with spaces and line ends. Give expected_sha256 when the new text still holds the old one (adding a line after another), or when the rest of the file matters.',
    },
    input: z.object({
      path: filePath,
      old_text: z.string().min(1).max(100_000).describe('The passage as it is now; exactly once in the file'),
      new_text: z.string().max(100_000).describe('What stands there afterwards; empty to delete'),
      expected_sha256: contentHash.optional(),
    }),
    output: z.object({
      path: z.string(),
      already_applied: z.boolean(),
      line: z.number().int().optional(),
      sha256: z.string(),
    }),
    changelog: { '1.0.0': 'First version.' },
    ruleTarget: pathTarget,
    check: checkEdit,
    concurrencySafe: writesOne,
    preview: (input) => diffOr(workspace, input),
    async run(input, ctx) {
      const names = namesOf(input.path);
      const path = joined(names);
      let result = { path, already_applied: true, sha256: '' } as {
        path: string;
        already_applied: boolean;
        line?: number;
        sha256: string;
      };
      await replaceFile(
        workspace,
        names,
        (before) => {
          if (before === null) throw notFound(path);
          const edited = applyEdit(textOf(before, names), { ...input, path }, ctx.attempt > 1);
          if (edited.already_applied) {
            result = { path, already_applied: true, sha256: sha256(before) };
            return null;
          }
          const after = Buffer.from(edited.after, 'utf8');
          result = { path, already_applied: false, line: edited.line, sha256: sha256(after) };
          return after;
        },
        { create: false, signal: ctx.signal },
      );
      return result;
    },
  });
}

function checkEdit({ path, old_text, new_text }: Edit): CheckFault | undefined {
  if (old_text !== new_text) return pathFault(path);
  return { reason: 'no_change', message: 'old_text and new_text are the same, so nothing would change.' };
}

async function diffOr(workspace: Workspace, input: Edit): Promise<string> {
  try {
    const names = namesOf(input.path);
    const path = joined(names);
    const before = textOf((await workspace.read(names)).bytes, names);
    const edited = applyEdit(before, { ...input, path }, false);
    return edited.already_applied ? `${path}: this edit was made before` : unifiedDiff(path, before, edited.after);
  } catch (error) {
    if (!isToolError(error)) throw error;
    return `It would be refused as things stand: ${error.message}`;
  }
}
