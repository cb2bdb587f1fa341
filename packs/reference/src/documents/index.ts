/**
 * Full-text index of a folder, in memory. The first search builds it; each search updates it by the size, time and inode of the
 * folder's files. Hits are ranked by BM25.
 */
import { createHash } from 'node:crypto';
import MiniSearch from 'minisearch';
import { indexed, ToolError, words } from 'holdfast/tools';
import type { SearchResult } from './search-result';
import { LIMITS, listFolder, readText, type FolderLimits, type Listing } from './folder';
import { snippet } from './snippet';
import { documentText, type DocumentText } from './text';

interface IndexedDocument extends DocumentText {
  path: string;
}

export class DocumentIndex {
  private readonly search_ = new MiniSearch<IndexedDocument>({
    idField: 'path',
    fields: ['title', 'path', 'text'],
    tokenize: words,
    processTerm: indexed,
  });
  private readonly documents = new Map<string, IndexedDocument & { stamp: string }>();
  private updating: Promise<Listing> = Promise.resolve({ files: [], leftOut: 0 });

  constructor(
    private readonly folder: string,
    private readonly limits: FolderLimits = LIMITS,
  ) {}

  /** @throws ToolError EXECUTION_ERROR `folder_unreadable` */
  async search(query: string, offset: number, limit: number, signal?: AbortSignal): Promise<SearchResult> {
    const listing = await this.update(signal);
    const matches = this.search_.search(query, {
      boost: { title: 2, path: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      weights: { fuzzy: 0.3, prefix: 0.6 },
    });
    matches.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    const hits = matches.slice(offset, offset + limit).map(({ id, score, terms }) => {
      const { path, title, text } = this.documents.get(String(id))!;
      return { path, title, snippet: snippet(text, terms), score: Math.round(score * 1000) / 1000 };
    });
    const leftOut = listing.leftOut + (listing.files.length - this.documents.size);
    return { hits, total: matches.length, state: stateOf(listing), searched: this.documents.size, leftOut };
  }

  /** Updates run one after the other: two searches at once must not read the same file twice. */
  private async update(signal?: AbortSignal): Promise<Listing> {
    const before = this.updating.catch(() => undefined);
    return (this.updating = before.then(() => this.refresh(signal)));
  }

  private async refresh(signal?: AbortSignal): Promise<Listing> {
    const listing = await listFolder(this.folder, this.limits, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      const why = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new ToolError('EXECUTION_ERROR', 'folder_unreadable', `The folder of documents cannot be read (${why}).`, {
        hint: "For the tool's owner: HOLDFAST_DOCUMENTS must name a folder that this user may read.",
      });
    });
    const now = new Map(listing.files.map((file) => [file.path, file.stamp]));
    for (const [path, { stamp }] of this.documents) if (now.get(path) !== stamp) this.drop(path);
    for (const { path, stamp } of listing.files) {
      if (this.documents.has(path)) continue;
      signal?.throwIfAborted();
      const content = await readText(this.folder, path, this.limits);
      const document = content === null ? null : documentText(path, content);
      if (document === null) continue;
      this.documents.set(path, { path, stamp, ...document });
      this.search_.add({ path, ...document });
    }
    return listing;
  }

  private drop(path: string): void {
    this.search_.discard(path);
    this.documents.delete(path);
  }
}

function stateOf({ files }: Listing): string {
  const hash = createHash('sha256');
  for (const { path, stamp } of files) hash.update(`${path}\0${stamp}\0`);
  return hash.digest('hex').slice(0, 16);
}
