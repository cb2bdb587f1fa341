/**
 * Runs the document index in a thread and keeps it there while the thread lives: reading and indexing 50 MB takes seconds, and a
 * search with misspelt words goes through all indexed words. A search whose caller gives up runs on to its time limit, so that the
 * index is not lost. A search that reaches the limit loses the index, which is then built again.
 */
import { join } from 'node:path';
import { defineJob, inThread, orAborted, ToolError } from 'holdfast/tools';
import type { SearchResult } from './search-result';
import { LIMITS, type FolderLimits } from './folder';
import { DocumentIndex } from './index';

/** Time for reading and indexing before a search fails as not ready, ms. Documents that were read are kept. */
const INDEXING_MS = 15_000;

interface SearchInput {
  folder: string;
  limits: FolderLimits;
  query: string;
  offset: number;
  limit: number;
}

const documentsJob = defineJob<SearchInput, SearchResult>(join(__dirname, 'search-job'), 'searchFolder', 'The search', {
  ms: 25_000,
  reason: 'search_too_slow',
  hint: 'Search for fewer words, spelt as they stand in the documents.',
});

/** The search that `search_documents` calls. */
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
