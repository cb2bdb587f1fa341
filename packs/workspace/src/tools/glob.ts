/** Defines the tool `glob`, which lists files of the workspace by a pattern. */
import { z } from 'zod';
import { type CheckFault, defineTool, inThread, type ToolContext } from 'holdfast/tools';
import { globFault } from '../files/glob-pattern';
import { pathFault } from '../files/path';
import type { Workspace } from '../files/workspace';
import { listJob, type ListQuery } from '../search/list';
import { cursor, folderPath, globText, pathTarget, readsAll } from './inputs';
import { openPage, sealPage } from './pages';

export interface GlobInput extends ListQuery {
  cursor?: string;
}

/** `{pattern, path, directories, ignored, limit, cursor?}` → `{paths, has_more, next_cursor?, note?}`, sorted. */
export function globTool(workspace: Workspace) {
  return defineTool({
    name: 'glob',
    version: '1.0.0',
    class: 'read',
    group: 'workspace',
    target: { root: workspace.root },
    maxInlineBytes: 64_000,
    description: {
      does: 'Lists the files of the workspace whose path matches a pattern, sorted by path.',
      returns:
        'paths from the workspace root (a folder ends with /), has_more, next_cursor for the next page, and a note about what was left out. An empty list means that nothing matches.',
      useWhen: 'You know part of a name, or want to see what lies in a folder.',
      dontUseFor: 'Finding text inside of files (grep), or reading one file (read_file).',
      example: '{"pattern": "**/*.test.ts", "path": "/src", "limit": 50}',
      warning:
        'The pattern is matched from path down: * stays within one name, ** takes any number of folders. Links are not followed.',
    },
    input: z.object({
      pattern: globText.describe('Glob from path down: * ? ** [abc] {a,b}, e.g. **/*.ts'),
      path: folderPath,
      directories: z.boolean().default(false).describe('List folders too'),
      ignored: z.boolean().default(false).describe('Look into .git and node_modules too'),
      limit: z.number().int().min(1).max(1000).default(100).describe('Paths of one page'),
      cursor,
    }),
    output: z.object({
      paths: z.array(z.string()),
      has_more: z.boolean(),
      next_cursor: z.string().optional(),
      note: z.string().optional(),
    }),
    estimatedTokens: { input: 40, output: { min: 20, typical: 400, max: 20_000 } },
    changelog: { '1.0.0': 'First version.' },
    ruleTarget: pathTarget,
    check: checkGlob,
    concurrencySafe: readsAll,
    run: (input, ctx) => glob(workspace, input, ctx),
  });
}

function checkGlob({ pattern, path }: GlobInput): CheckFault | undefined {
  return pathFault(path) ?? globFault('pattern', pattern);
}

async function glob(workspace: Workspace, input: GlobInput, ctx: ToolContext) {
  const { cursor: page, limit, ...query } = input;
  const after = openPage(ctx, query, page)?.path ?? null;
  const listing = { place: workspace.place, query: { ...query, limit }, after };
  const { paths, reached, note } = await inThread(listJob, listing, { owner: ctx.principal, signal: ctx.signal });
  return {
    paths,
    has_more: reached !== null,
    ...(reached ? { next_cursor: sealPage(ctx, query, { path: [...reached], line: 0 }) } : {}),
    ...(note === '' ? {} : { note }),
  };
}
