/** A local EDGAR: files in the shapes of both hosts, with validators; notes every request; can be told to misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { EdgarFiles } from './edgar-files';

export interface Seen {
  path: string;
  userAgent: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  /** The status of the answer; 0 before the answer. */
  status: number;
}

export interface EdgarServer {
  url: string;
  seen: Seen[];
  /** Requests of a path. */
  asked(path: string): Seen[];
  /** Answers every request of which the path contains `part` until further notice; null: as usual again. */
  misbehave(answer: ((request: IncomingMessage, response: ServerResponse) => void) | null, part?: string): void;
  close(): Promise<void>;
}

export async function startEdgar(files: EdgarFiles): Promise<EdgarServer> {
  const seen: Seen[] = [];
  let odd: { answer: (request: IncomingMessage, response: ServerResponse) => void; part: string } | null = null;
  const server = createServer((request, response) => {
    const { headers } = request;
    const path = decodeURIComponent((request.url ?? '').slice(1));
    const note: Seen = {
      path,
      userAgent: headers['user-agent'],
      ifNoneMatch: headers['if-none-match'],
      ifModifiedSince: headers['if-modified-since'],
      status: 0,
    };
    seen.push(note);
    response.on('finish', () => (note.status = response.statusCode));
    if (odd && path.includes(odd.part)) return odd.answer(request, response);
    serve(files, path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    asked: (path) => seen.filter((request) => request.path === path),
    misbehave: (answer, part = '') => (odd = answer && { answer, part }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function serve(files: EdgarFiles, path: string, request: IncomingMessage, response: ServerResponse): void {
  const file = files.get(path);
  if (!file) return void response.writeHead(404).end('not here');
  const { etag, lastModified } = file;
  const validators = { ...(etag ? { etag } : {}), ...(lastModified ? { 'last-modified': lastModified } : {}) };
  const same =
    (etag !== undefined && request.headers['if-none-match'] === etag) ||
    (etag === undefined && lastModified !== undefined && request.headers['if-modified-since'] === lastModified);
  if (same) return void response.writeHead(304, validators).end();
  // As the real hosts do: compressed, with the length of the compressed body.
  const body = gzipSync(file.body);
  response.writeHead(200, { ...validators, vary: 'Accept-Encoding', 'content-encoding': 'gzip', 'content-length': body.length });
  response.end(body);
}
