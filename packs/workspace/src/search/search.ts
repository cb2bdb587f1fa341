/**
 * The search of the tool `grep`, as a thread runs it: its cost grows with pattern × text, and the model chooses both. Returns one
 * page. Between files the search ends early after a time limit; inside of one file the thread's limit ends it.
 */
import { join } from 'node:path';
import { RE2JS } from 're2js';
import { defineJob, isToolError } from 'holdfast/tools';
import type { Directory } from '../files/directory';
import { globMatcher } from '../files/glob-pattern';
import { joinNames, namesOf, type Names } from '../files/path';
import { linesOf, looksBinary } from '../files/text';
import { walk, WalkReport } from '../files/walk';
import { Workspace, type WorkspacePlace } from '../files/workspace';
import { leftOut } from '../tools/left-out';
import type { Place } from '../tools/pages';

/** Larger files are skipped, bytes. */
const LARGEST = 4 * 1024 * 1024;
/** Limits of one page: bytes read, and the time after which no further file is begun, ms. */
const PAGE_BYTES = 64 * 1024 * 1024;
const PAGE_MS = 4000;
/** How much of a matching line is shown, and how much of a line is searched, characters. */
const MAX_SHOWN_CHARS = 300;
const MAX_SEARCHED_CHARS = 10_000;
const LARGEST_PROGRAM = 2000;

export interface SearchQuery {
  pattern: string;
  path: string;
  glob?: string;
  ignore_case: boolean;
  ignored: boolean;
  limit: number;
}

export interface SearchPage {
  matches: { path: string; line: number; text: string }[];
  files: number;
  /** Where the page ended; null when nothing is left. */
  reached: Place | null;
  note: string;
}

interface SearchInput {
  place: WorkspacePlace;
  query: SearchQuery;
  from: Place | null;
}

export const searchJob = defineJob<SearchInput, SearchPage>(join(__dirname, 'search'), 'search', 'The search', {
  ms: 8000,
  reason: 'pattern_too_slow',
  hint: 'Use a simpler pattern without nested or counted repetitions, or name one smaller file by path or glob.',
});

export function search({ place, query, from }: SearchInput): Promise<SearchPage> {
  return new Search(Workspace.at(place), query).page(from);
}

/** Never aborted: a cancellation ends the thread. */
const ENDED_FROM_OUTSIDE = new AbortController().signal;

/** @throws Error with a text for the model */
export function expressionOf(pattern: string, ignoreCase: boolean): RE2JS {
  const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (expression.programSize() > LARGEST_PROGRAM) throw new Error('it is too large');
  return expression;
}

class Search {
  private readonly report = new WalkReport();
  private readonly matches: SearchPage['matches'] = [];
  private readonly skippedFiles = { 'binary files': 0, 'files over 4 MiB': 0, 'files that cannot be read': 0 };
  private files = 0;
  private bytes = 0;
  private readonly expression: RE2JS;
  private readonly base: Names;

  private readonly until = performance.now() + PAGE_MS;

  constructor(
    private readonly workspace: Workspace,
    private readonly query: SearchQuery,
  ) {
    this.expression = expressionOf(query.pattern, query.ignore_case);
    this.base = namesOf(query.path);
  }

  async page(from: Place | null): Promise<SearchPage> {
    const reached = await this.run(from).catch((error: unknown) => {
      throw this.workspace.outsideOr(error, this.base);
    });
    return { matches: this.matches, files: this.files, reached, note: leftOut(this.report, this.skippedFiles) };
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
        (entry) => !entry.isDirectory() && !entry.isSymbolicLink(),
        () => false,
      );
    return this.workspace.inDirectory(this.base.slice(0, -1), look, { whole: this.base });
  }

  private async searchBelow(directory: Directory, from: Place | null): Promise<Place | null> {
    const { base, query, report } = this;
    const matches = query.glob === undefined ? () => true : globMatcher(query.glob);
    let last: Place = from ?? { path: [...base], line: 0 };
    if (from && from.line > 0) {
      // The page before ended inside of a file: search the rest of it first.
      const rest = await this.workspace.inDirectory(from.path.slice(0, -1), (parent) =>
        this.searchFile(parent, from.path, from.line),
      );
      if (rest) return rest;
      last = { path: from.path, line: 0 };
    }
    const options = { after: from?.path ?? null, ignored: query.ignored, signal: ENDED_FROM_OUTSIDE };
    for await (const { path, kind, within } of walk(directory, base, options, report)) {
      if (kind === 'file' && matches(path.slice(base.length).join('/'))) {
        if (this.isFull()) return last;
        const stop = await this.searchFile(within, path, 0);
        if (stop) return stop;
      }
      last = { path: [...path], line: 0 };
    }
    return report.full ? last : null;
  }

  private isFull(): boolean {
    return (
      this.matches.length >= this.query.limit || this.bytes >= PAGE_BYTES || (this.files > 0 && performance.now() > this.until)
    );
  }

  /** Searches one file after a line. Returns where it stopped when the page is full. */
  private async searchFile(within: Directory, path: Names, afterLine: number): Promise<Place | null> {
    const text = await this.textOf(within, path);
    if (text === null) return null;
    this.files++;
    const lines = linesOf(text);
    for (let index = afterLine; index < lines.length; index++) {
      const line = lines[index]!.replace(/\r?\n$/, '');
      if (!this.expression.matcher(line.slice(0, MAX_SEARCHED_CHARS)).find()) continue;
      if (this.matches.length === this.query.limit) return { path: [...path], line: index };
      this.matches.push({ path: joinNames(path), line: index + 1, text: shortenLine(line) });
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
      if (alone || !isToolError(error)) throw error; // the caller named this one file: report why
      return this.skip('files that cannot be read');
    }
  }

  private skip(what: keyof Search['skippedFiles']): null {
    this.skippedFiles[what]++;
    return null;
  }
}

function shortenLine(line: string): string {
  return line.length <= MAX_SHOWN_CHARS ? line : `${line.slice(0, MAX_SHOWN_CHARS).toWellFormed()}… (${line.length} characters)`;
}
