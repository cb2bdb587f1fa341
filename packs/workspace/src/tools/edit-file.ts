/** Defines the tool `edit_file`, which replaces one passage of a text file in the workspace. */
import { z } from 'zod';
import { type CheckFault, defineTool, inThread, isToolError, type ToolContext } from 'holdfast/tools';
import type { Edit } from '../files/edit';
import { editDiffJob, editJob } from '../files/edit-jobs';
import { joinNames, namesOf, pathFault } from '../files/path';
import { notFound } from '../files/refusals';
import { replaceFile } from '../files/replace';
import type { Workspace } from '../files/workspace';
import { contentHash, filePath, pathTarget, writesOne } from './inputs';

/** `{path, old_text, new_text, expected_sha256?}` → `{path, already_applied, line?, sha256}`. */
export function editFileTool(workspace: Workspace) {
  return defineTool({
    name: 'edit_file',
    version: '1.0.0',
    class: 'write',
    group: 'workspace',
    target: { root: workspace.root },
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
    preview: (input, ctx) => diffOr(workspace, input, ctx),
    async run(input, ctx) {
      const names = namesOf(input.path);
      const path = joinNames(names);
      let result = { path, already_applied: true, sha256: '' } as {
        path: string;
        already_applied: boolean;
        line?: number;
        sha256: string;
      };
      await replaceFile(
        workspace,
        names,
        async (before) => {
          if (before === null) throw notFound(path);
          const order = { before, names, edit: { ...input, path }, repeated: ctx.attempt > 1 };
          const editResult = await inThread(editJob, order, { owner: ctx.principal, signal: ctx.signal });
          const { already_applied, sha256 } = editResult;
          result = { path, already_applied, ...(editResult.already_applied ? {} : { line: editResult.line }), sha256 };
          return editResult.already_applied ? null : editResult.after;
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

async function diffOr(workspace: Workspace, input: Edit, ctx: ToolContext): Promise<string> {
  try {
    const names = namesOf(input.path);
    const path = joinNames(names);
    const { bytes } = await workspace.read(names);
    const order = { before: bytes, names, edit: { ...input, path } };
    return await inThread(editDiffJob, order, { owner: ctx.principal, signal: ctx.signal });
  } catch (error) {
    if (!isToolError(error)) throw error;
    return `It would be refused as things stand: ${error.message}`;
  }
}
