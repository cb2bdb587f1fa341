/**
 * Serves the page at `/`. Its files are read once, at the start, and each is a route of its own: an address can name nothing else. The
 * page has no data in it and anyone may load it; it asks the API for everything, as the person who is signed in.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Route } from '../gateway/route';
import { PAGE_HEADERS } from './headers';
import { sendPlainPage } from './plain-page';

/** Where `npm run build` puts it, seen from dist/ and from src/ alike. */
const PAGE_FOLDER = join(__dirname, '../../dist/page-files');
const INDEX = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
};
/** Vite writes a hash of the content into these names, so that what they name never changes. */
const NAME_WITH_HASH = /^assets\/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

interface PageFile {
  bytes: Buffer;
  etag: string;
  type: string;
  caching: string;
}

export const page: Route = (app, { pageFolder = PAGE_FOLDER }) => {
  const files = filesIn(pageFolder);
  const options = { schema: { hide: true }, config: { roles: 'public' } } as const;
  if (!files.has(INDEX)) app.get('/', options, async (_request, reply) => sendPlainPage(reply, NOT_BUILT));
  for (const [path, file] of files)
    app.get(path === INDEX ? '/' : `/${path}`, options, async (request, reply) =>
      sendFile(reply, file, request.headers['if-none-match']),
    );
};

function sendFile(reply: FastifyReply, { bytes, etag, type, caching }: PageFile, etags: string | undefined): FastifyReply {
  void reply.headers(PAGE_HEADERS).headers({ etag, 'cache-control': caching });
  const isCurrent = etags?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false;
  return isCurrent ? reply.code(304).send() : reply.type(type).send(bytes);
}

/** By their paths below the folder, with `/`. Empty: there is no such folder. */
function filesIn(folder: string): Map<string, PageFile> {
  return new Map(pathsIn(folder, '').map((path): [string, PageFile] => [path, fileAt(folder, path)]));
}

function pathsIn(folder: string, below: string): string[] {
  try {
    return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const path = posix.join(below, entry.name);
      return entry.isDirectory() ? pathsIn(folder, path) : entry.isFile() ? [path] : [];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function fileAt(folder: string, path: string): PageFile {
  const bytes = readFileSync(join(folder, path));
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    caching: NAME_WITH_HASH.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

const NOT_BUILT = {
  status: 503,
  title: 'The page is not built',
  paragraphs: [
    'The gateway runs, and its API answers. The page for people is missing in this build: npm run build makes it.',
    'docs/http.md says how to do everything without the page.',
  ],
};
