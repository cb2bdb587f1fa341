import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { visible } from '../../../shared/visible';
import { defineTool, type CheckFault, type ToolContext } from '../../../tools/define';
import { isToolError } from '../../../tools/errors';
import type { Directory } from '../files/directory';
import { globFault, globMatcher } from '../files/glob-pattern';
import { joined, namesOf, pathFault, type Names } from '../files/path';
import { linesOf, looksBinary } from '../files/text';
import { walk, WalkReport } from '../files/walk';
import type { Workspace } from '../files/workspace';
import { cursor, folderPath, globText, pathTarget, readsAll } from './inputs';
import { leftOut } from './left-out';
import { openPage, sealPage, type Place } from './pages';

/** Larger files are left out, bytes. */
const LARGEST = 4 * 1024 * 1024;
/** Read for one page, bytes. */
const PAGE_BYTES = 64 * 1024 * 1024;
/** A matching line is shown up to here, and a line is searched up to there, characters. */
const SHOWN = 300;
const SEARCHED = 10_000;
const LARGEST_PROGRAM = 2000;

export interface GrepInput {
  pattern: string;
  path: string;
  glob?: string;
  ignore_case: boolean;
  ignored: boolean;
  limit: number;
  cursor?: string;
}

interface Match {
  path: string;
  line: number;
  text: string;
}

/** `{pattern, path, glob?, ignore_case, ignored, limit, cursor?}` → `{matches, files_searched, has_more, next_cursor?, note?}`. */
export function grepTool(workspace: Workspace) {
  return defineTool({
    name: 'grep',
    version: '1.0.0',
    class: 'read',
    group: 'workspace',
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
    run: (input, ctx) => new Search(workspace, input, ctx).page(),
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

function expressionOf(pattern: string, ignoreCase: boolean): RE2JS {
  const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (expression.programSize() > LARGEST_PROGRAM) throw new Error('it is too large');
  return expression;
}

class Search {
  private readonly report = new WalkReport();
  private readonly matches: Match[] = [];
  private readonly skipped = { 'binary files': 0, 'files over 4 MiB': 0, 'files that cannot be read': 0 };
  private files = 0;
  private bytes = 0;
  private readonly expression: RE2JS;
  private readonly base: Names;

  constructor(
    private readonly workspace: Workspace,
    private readonly input: GrepInput,
    private readonly ctx: ToolContext,
  ) {
    this.expression = expressionOf(input.pattern, input.ignore_case);
    this.base = namesOf(input.path);
  }

  async page() {
    const { cursor: sealed, limit: _, ...query } = this.input;
    const from = openPage(this.ctx, query, sealed);
    const reached = await this.run(from).catch((error: unknown) => {
      throw this.workspace.outsideOr(error, this.base);
    });
    const note = leftOut(this.report, this.skipped);
    return {
      matches: this.matches,
      files_searched: this.files,
      has_more: reached !== null,
      ...(reached ? { next_cursor: sealPage(this.ctx, query, reached) } : {}),
      ...(note === '' ? {} : { note }),
    };
  }

  /** Where the page ended; null when nothing is left. */
  private async run(from: Place | null): Promise<Place | null> {
    const { base, workspace } = this;
    if (base.length > 0 && (await this.isFile())) {
      return workspace.inDirectory(base.slice(0, -1), (directory) => this.searchFile(directory, base, from?.line ?? 0), {
        whole: base,
      });
    }
    return workspace.inDirectory(base, (directory) => this.searchBelow(directory, from));
  }

  private isFile(): Promise<boolean> {
    const look = (directory: Directory) =>
      directory.lstat(this.base.at(-1)!).then(
        (found) => !found.isDirectory() && !found.isSymbolicLink(),
        () => false,
      );
    return this.workspace.inDirectory(this.base.slice(0, -1), look, { whole: this.base });
  }

  private async searchBelow(directory: Directory, from: Place | null): Promise<Place | null> {
    const { base, input, report } = this;
    const matches = input.glob === undefined ? () => true : globMatcher(input.glob);
    let last: Place = from ?? { path: [...base], line: 0 };
    if (from && from.line > 0) {
      // The page before ended inside of a file: the rest of it first.
      const rest = await this.workspace.inDirectory(from.path.slice(0, -1), (parent) =>
        this.searchFile(parent, from.path, from.line),
      );
      if (rest) return rest;
      last = { path: from.path, line: 0 };
    }
    const options = { after: from?.path ?? null, ignored: input.ignored, signal: this.ctx.signal };
    for await (const { path, kind, within } of walk(directory, base, options, report)) {
      if (kind === 'file' && matches(path.slice(base.length).join('/'))) {
        if (this.matches.length >= input.limit || this.bytes >= PAGE_BYTES) return last;
        const stopped = await this.searchFile(within, path, 0);
        if (stopped) return stopped;
      }
      last = { path: [...path], line: 0 };
    }
    return report.full ? last : null;
  }

  /** Searches one file behind a line. Returns where it stopped when the page is full. */
  private async searchFile(within: Directory, path: Names, afterLine: number): Promise<Place | null> {
    const text = await this.textOf(within, path);
    if (text === null) return null;
    this.files++;
    const lines = linesOf(text);
    for (let index = afterLine; index < lines.length; index++) {
      // Matching blocks the process: others, and a cancellation, get their turn now and then.
      if (index % 1000 === 999) await setImmediate();
      this.ctx.signal.throwIfAborted();
      const line = lines[index]!.replace(/\r?\n$/, '');
      if (!this.expression.matcher(line.slice(0, SEARCHED)).find()) continue;
      if (this.matches.length === this.input.limit) return { path: [...path], line: index };
      this.matches.push({ path: joined(path), line: index + 1, text: shown(line) });
    }
    return null;
  }

  private async textOf(within: Directory, path: Names): Promise<string | null> {
    const alone = path.length === this.base.length;
    try {
      const file = await this.workspace.openIn(within, path);
      const { size } = await file.stat().finally(() => file.close());
      if (size > LARGEST) return this.skip('files over 4 MiB');
      const { bytes } = await this.workspace.readIn(within, path);
      this.bytes += bytes.length;
      return looksBinary(bytes) ? this.skip('binary files') : bytes.toString('utf8');
    } catch (error) {
      if (alone || !isToolError(error)) throw error; // the one file that was named: say why
      return this.skip('files that cannot be read');
    }
  }

  private skip(what: keyof Search['skipped']): null {
    this.skipped[what]++;
    return null;
  }
}

function shown(line: string): string {
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).toWellFormed()}… (${line.length} characters)`;
}
