/**
 * Loads make-fetch-happen, with our own types for the part that is used. Its published types describe node-fetch 2, which does not
 * compile beside the node-fetch 3 of other packages.
 */
export interface CachedFetchOptions {
  /** Folder of the disk cache. */
  cachePath: string;
  /** `no-cache`: always ask the server, with the validator of the copy; `only-if-cached`: never ask it. */
  cache: 'no-cache' | 'only-if-cached';
  headers: Record<string, string>;
  redirect: 'manual';
  /** Undo Content-Encoding. */
  compress: boolean;
  retry: false;
  signal: AbortSignal;
}

export interface CachedResponse {
  status: number;
  /** Besides the server's: `x-local-cache-status` (miss, updated, revalidated, stale, skip) and `x-local-cache-time`. */
  headers: { get(name: string): string | null };
  body: NodeJS.ReadableStream | null;
}

// oxlint-disable-next-line typescript/no-require-imports -- an import would load the published types
export const cachedFetch: (url: string, options: CachedFetchOptions) => Promise<CachedResponse> = require('make-fetch-happen');
