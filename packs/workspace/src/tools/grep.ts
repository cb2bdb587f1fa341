/** Defines the tool `grep`, which searches text files of the workspace by a regular expression. */
import { z } from 'zod';
import { type CheckFault, defineTool, inThread, type ToolContext, visible } from 'holdfast/tools';
import { globFault } from '../files/glob-pattern';
import { pathFault } from '../files/path';
import type { Workspace } from '../files/workspace';
import { expressionOf, searchJob, type SearchQuery } from '../search/search';
import { cursor, folderPath, globText, pathTarget, readsAll } from './inputs';
import { openPage, sealPage } from './pages';

export interface GrepInput extends SearchQuery {
  cursor?: string;
}

/** `{pattern, path, glob?, ignore_case, ignored, limit, cursor?}` → `{matches, files_searched, has_more, next_cursor?, note?}`. */
export function grepTool(workspace: Workspace) {
  return defineTool({
    name: 'grep',
    version: '1.0.0',
    class: 'read',
    group: 'workspace',
    target: { root: workspace.root },
    maxInlineBytes: 64_000,
    description: {
      does: 'Finds the lines of text files in the workspace that match a regular expression.',
      returns:
        'matches, each with path, line number and the line (cut at 300 characters); files_searched; has_more and next_cursor for the next page; a note about what was left out (binary files, files over 4 MiB).',
      useWhen: 'You look for a word, a name or a pattern in files. path may also be one file.',
      dontUseFor: 'Finding files by name (glob), or reading a file (read_file).',
      example: '{"pattern": "function \\\\w+Tool", "path": "/src", "glob": "**/*.ts"}',
      warning: 'RE2 syntax: no look-around and no back-references. A match stays within one line.',
    },
    input: z.object({
      pattern: z.string().min(1).max(500).describe('Regular expression in RE2 syntax'),
      path: folderPath.describe('Folder or file from the workspace root; / is the root itself'),
      glob: globText.optional().describe('Only files whose path, from path down, matches this, e.g. **/*.ts'),
      ignore_case: z.boolean().default(false).describe('Upper and lower case count as the same'),
      ignored: z.boolean().default(false).describe('Look into .git and node_modules too'),
      limit: z.number().int().min(1).max(200).default(50).describe('Matches of one page'),
      cursor,
    }),
    output: z.object({
      matches: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })),
      files_searched: z.number().int(),
      has_more: z.boolean(),
      next_cursor: z.string().optional(),
      note: z.string().optional(),
    }),
    estimatedTokens: { input: 50, output: { min: 30, typical: 1200, max: 20_000 } },
    changelog: { '1.0.0': 'First version.' },
    ruleTarget: pathTarget,
    check: checkGrep,
    concurrencySafe: readsAll,
    run: (input, ctx) => grep(workspace, input, ctx),
  });
}

function checkGrep({ pattern, path, glob, ignore_case }: GrepInput): CheckFault | undefined {
  const fault = pathFault(path) ?? globFault('glob', glob);
  if (fault) return fault;
  try {
    expressionOf(pattern, ignore_case);
    return undefined;
  } catch (error) {
    return {
      reason: 'bad_pattern',
      message: `pattern ${JSON.stringify(visible(pattern.slice(0, 200)))} cannot be used: ${(error as Error).message.slice(0, 200)}.`,
      hint: 'Use RE2 syntax: no look-around, no back-references, repetitions up to 1000. Escape ( ) [ ] { } . * + ? with a backslash.',
    };
  }
}

async function grep(workspace: Workspace, { cursor: sealed, ...input }: GrepInput, ctx: ToolContext) {
  const { limit: _, ...query } = input;
  const from = openPage(ctx, query, sealed);
  const page = await inThread(
    searchJob,
    { place: workspace.place, query: input, from },
    { owner: ctx.principal, signal: ctx.signal },
  );
  return {
    matches: page.matches,
    files_searched: page.files,
    has_more: page.reached !== null,
    ...(page.reached ? { next_cursor: sealPage(ctx, query, page.reached) } : {}),
    ...(page.note === '' ? {} : { note: page.note }),
  };
}
