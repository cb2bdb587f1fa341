/** The directory walk of the tool `glob`, as a thread runs it: up to 100,000 names, sorted and matched. */
import { join } from 'node:path';
import { defineJob } from 'holdfast/tools';
import { globMatcher } from '../files/glob-pattern';
import { joinNames, namesOf, type Names } from '../files/path';
import { walk, WalkReport } from '../files/walk';
import { Workspace, type WorkspacePlace } from '../files/workspace';
import { leftOut } from '../tools/left-out';

export interface ListQuery {
  pattern: string;
  path: string;
  directories: boolean;
  ignored: boolean;
  limit: number;
}

interface ListInput {
  place: WorkspacePlace;
  query: ListQuery;
  after: Names | null;
}

export interface ListPage {
  paths: string[];
  /** The last path that was processed; null when nothing is left. */
  reached: Names | null;
  note: string;
}

export const listJob = defineJob<ListInput, ListPage>(join(__dirname, 'list'), 'list', 'The listing', {
  ms: 15_000,
  reason: 'listing_too_slow',
  hint: 'Name a folder with fewer files by path, or use a simpler pattern.',
});

export async function list({ place, query, after }: ListInput): Promise<ListPage> {
  const base = namesOf(query.path);
  const matches = globMatcher(query.pattern);
  const workspace = Workspace.at(place);
  const report = new WalkReport();
  const paths: string[] = [];
  let last: Names = after ?? base;
  let full = false;
  const options = { after, ignored: query.ignored, signal: new AbortController().signal }; // a cancellation ends the thread
  await workspace
    .inDirectory(base, async (directory) => {
      for await (const entry of walk(directory, base, options, report)) {
        const isListed = (entry.kind === 'file' || query.directories) && matches(entry.path.slice(base.length).join('/'));
        if (isListed && paths.length === query.limit) {
          full = true;
          break;
        }
        last = entry.path;
        if (isListed) paths.push(joinNames(entry.path) + (entry.kind === 'directory' ? '/' : ''));
      }
    })
    .catch((error: unknown) => {
      throw workspace.outsideOr(error, base);
    });
  return { paths, reached: full || report.full ? last : null, note: leftOut(report, {}) };
}
