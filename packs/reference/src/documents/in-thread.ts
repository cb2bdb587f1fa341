/**
 * The index in a thread of its own, where it lives as long as the thread does: to read and index 50 MB takes seconds, and a
 * search with misspelt words walks all words that there are. A search that is given up goes on to its limit, so that the
 * index is not lost with it; one that reaches the limit costs the index, which is built again.
 */
import { join } from 'node:path';
import { defineJob, inThread, orAborted, ToolError } from 'holdfast/tools';
import type { SearchResult } from './found';
import { LIMITS, type FolderLimits } from './folder';
import { DocumentIndex } from './index';

/** Reading and indexing, before a search says that it is not ready, ms. What was read is kept. */
const INDEXING_MS = 15_000;

interface SearchInput {
  folder: string;
  limits: FolderLimits;
  query: string;
  offset: number;
  limit: number;
}

const documentsJob = defineJob<SearchInput, SearchResult>(join(__dirname, 'in-thread'), 'searchFolder', 'The search', {
  ms: 25_000,
  reason: 'search_too_slow',
  hint: 'Search for fewer words, spelt as they stand in the documents.',
});

/** What `search_documents` asks. */
export interface Documents {
  search(query: string, offset: number, limit: number, asking: { signal: AbortSignal; principal: string }): Promise<SearchResult>;
}

export function documentsIn(folder: string, limits: FolderLimits = LIMITS): Documents {
  return {
    search: (query, offset, limit, { signal, principal }) => {
      const input = { folder, limits, query, offset, limit };
      return orAborted(inThread(documentsJob, input, { lane: 'documents', owner: principal }), signal);
    },
  };
}

const indexes = new Map<string, DocumentIndex>();

/** Runs in the thread. */
export async function searchFolder({ folder, limits, query, offset, limit }: SearchInput): Promise<SearchResult> {
  const key = JSON.stringify([folder, limits]);
  const index = indexes.get(key) ?? new DocumentIndex(folder, limits);
  indexes.set(key, index);
  const until = AbortSignal.timeout(INDEXING_MS);
  try {
    return await index.search(query, offset, limit, until);
  } catch (error) {
    if (!until.aborted || error !== until.reason) throw error;
    throw new ToolError('TIMEOUT', 'still_indexing', 'The documents are still being read.', { hint: 'Search again in a while.' });
  }
}
