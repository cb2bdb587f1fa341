/** Defines the tool `write_file`, which writes a whole text file of the workspace. */
import { z } from 'zod';
import { defineTool, inThread, isToolError, type ToolContext } from 'holdfast/tools';
import { fileChangedError, lineCount } from '../files/edit';
import { diffJob, TOO_LONG_FOR_A_DIFF } from '../files/edit-jobs';
import { joinNames, namesOf, normalizePath, type Names } from '../files/path';
import { invalid } from '../files/refusals';
import { replaceFile } from '../files/replace';
import { sha256 } from '../files/text';
import type { Workspace } from '../files/workspace';
import { checkPath, contentHash, filePath, pathTarget, writesOne } from './inputs';

/** `{path, content, expected_sha256?}` → `{path, created, already_applied, bytes, lines, sha256}`. */
export function writeFileTool(workspace: Workspace) {
  return defineTool({
    name: 'write_file',
    version: '1.0.0',
    class: 'write',
    group: 'workspace',
    target: { root: workspace.root },
    description: {
      does: 'Writes one whole text file of the workspace: a new one, or in place of one that you have read.',
      returns: 'path; created; already_applied, true when the file had this content before; bytes, lines and the new sha256.',
      useWhen: 'You make a new file, or nearly all of a file changes. Missing folders are made.',
      dontUseFor: 'A change of a few lines (edit_file), binary files, or files of git itself.',
      example: '{"path": "/notes/plan.md", "content": "# Plan\\n"}',
      warning:
        'To replace a file that is there, give expected_sha256 as read_file or your last write gave it. If the file has changed since, nothing is written: read it again.',
    },
    input: z.object({
      path: filePath,
      content: z.string().max(1_000_000).describe('The whole new text of the file'),
      expected_sha256: contentHash.optional(),
    }),
    output: z.object({
      path: z.string(),
      created: z.boolean(),
      already_applied: z.boolean(),
      bytes: z.number().int(),
      lines: z.number().int(),
      sha256: z.string(),
    }),
    changelog: { '1.0.0': 'First version.' },
    ruleTarget: pathTarget,
    check: checkPath,
    concurrencySafe: writesOne,
    preview: ({ path, content }, ctx) => diffOr(workspace, path, content, ctx),
    async run({ path, content, expected_sha256 }, ctx) {
      const names = namesOf(path);
      const after = Buffer.from(content, 'utf8');
      const hash = sha256(after);
      let created = false;
      let isApplied = false;
      await replaceFile(
        workspace,
        names,
        (before) => {
          const current = before && sha256(before);
          created = before === null;
          isApplied = current === hash; // a repetition, or nothing to do: the result is the same
          if (isApplied) return null;
          if (expected_sha256 === undefined && current !== null) throw readFirst(names, current);
          if (expected_sha256 !== undefined && expected_sha256 !== current)
            throw fileChangedError(joinNames(names), expected_sha256, current);
          return after;
        },
        { create: expected_sha256 === undefined, signal: ctx.signal },
      );
      return {
        path: joinNames(names),
        created,
        already_applied: isApplied,
        bytes: after.length,
        lines: lineCount(content),
        sha256: hash,
      };
    },
  });
}

function readFirst(names: Names, current: string): Error {
  return invalid(
    'file_exists',
    `${joinNames(names)} is there already, with the sha256 ${current}.`,
    'Read it first, then give that hash as expected_sha256; or take another name.',
  );
}

/** The change, for the approver. A fault is shown in its place; the run itself refuses the call later. */
async function diffOr(workspace: Workspace, path: string, content: string, ctx: ToolContext): Promise<string> {
  try {
    const names = namesOf(path);
    const before = await workspace.read(names).catch((error: unknown) => {
      if (isToolError(error) && error.detail.reason === 'file_not_found') return null;
      throw error;
    });
    const order = { path: normalizePath(path), before: before && before.bytes, names, after: content };
    return await inThread(diffJob, order, { owner: ctx.principal, signal: ctx.signal });
  } catch (error) {
    if (!isToolError(error)) throw error;
    if (error.detail.reason === TOO_LONG_FOR_A_DIFF) return `${path}: written anew; what changes is too much to be compared`;
    return `It will be refused as things stand: ${error.message}`;
  }
}
