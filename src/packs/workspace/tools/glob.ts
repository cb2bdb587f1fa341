import { z } from 'zod';
import { defineTool, type CheckFault, type ToolContext } from '../../../tools/define';
import { globFault, globMatcher } from '../files/glob-pattern';
import { joined, namesOf, pathFault, type Names } from '../files/path';
import { walk, WalkReport } from '../files/walk';
import type { Workspace } from '../files/workspace';
import { cursor, folderPath, globText, pathTarget, readsAll } from './inputs';
import { openPage, sealPage } from './pages';
import { leftOut } from './left-out';

export interface GlobInput {
  pattern: string;
  path: string;
  directories: boolean;
  ignored: boolean;
  limit: number;
  cursor?: string;
}

/** `{pattern, path, directories, ignored, limit, cursor?}` → `{paths, has_more, next_cursor?, note?}`, sorted. */
export function globTool(workspace: Workspace) {
  return defineTool({
    name: 'glob',
    version: '1.0.0',
    class: 'read',
    group: 'workspace',
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
  const base = namesOf(input.path);
  const matches = globMatcher(input.pattern);
  const { cursor: page, limit, ...query } = input;
  const after = openPage(ctx, query, page)?.path ?? null;
  const report = new WalkReport();
  const paths: string[] = [];
  let last: Names = after ?? base;
  let full = false;
  await workspace
    .inDirectory(base, async (directory) => {
      for await (const found of walk(directory, base, { after, ignored: input.ignored, signal: ctx.signal }, report)) {
        const listed = (found.kind === 'file' || input.directories) && matches(found.path.slice(base.length).join('/'));
        if (listed && paths.length === limit) {
          full = true;
          break;
        }
        last = found.path;
        if (listed) paths.push(joined(found.path) + (found.kind === 'directory' ? '/' : ''));
      }
    })
    .catch((error: unknown) => {
      throw workspace.outsideOr(error, base);
    });
  const more = full || report.full;
  const note = leftOut(report, {});
  return {
    paths,
    has_more: more,
    ...(more ? { next_cursor: sealPage(ctx, query, { path: [...last], line: 0 }) } : {}),
    ...(note === '' ? {} : { note }),
  };
}
