/** A server that answers model requests as a test says; a `Wire` writes its answers in one vendor's protocol. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer, WireServer } from '../../../../src/testing/model-conformance';

export interface Wire {
  /** Added to the server's origin: `/v1`. */
  basePath: string;
  path: RegExp;
  /** Default: `text/event-stream; charset=utf-8`. */
  contentType?: string;
  /** The frames of a whole answer, in order; the last ends it. */
  frames(answer: WireAnswer, request: JsonObject): (string | Buffer)[];
  /** The tools and messages of a request in the form of the Messages API, as a script reads them; thoughts are left out. */
  heard(request: JsonObject): JsonObject;
  errorFrame(): string | Buffer;
  errorBody(status: number, message: string): JsonObject;
}

/** @param play what is answered when no answer was ordered: to the request, in the form of the Messages API */
export async function startWireServer(wire: Wire, play?: (heard: JsonObject) => WireAnswer): Promise<WireServer> {
  const answers: WireAnswer[] = [];
  const requests: JsonObject[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!wire.path.test(request.url ?? '')) return void response.writeHead(404).end('{}');
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
      requests.push(body);
      send(wire, response, answers.shift() ?? play?.(wire.heard(body)) ?? { text: 'No answer was ordered.' }, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${wire.basePath}`,
    requests,
    answer: (...more) => void answers.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(wire: Wire, response: ServerResponse, answer: WireAnswer, request: JsonObject): void {
  const { fault } = answer;
  if (fault?.kind === 'status') {
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
    return void response.end(JSON.stringify(wire.errorBody(fault.status, fault.message ?? 'refused')));
  }
  if (fault?.kind === 'page') {
    response.writeHead(200, { 'content-type': 'text/html' });
    return void response.end('<html><body>Please sign in.</body></html>');
  }
  response.writeHead(200, {
    'content-type': wire.contentType ?? 'text/event-stream; charset=utf-8',
    'request-id': 'req_1',
    'x-request-id': 'req_1',
  });
  const frames = wire.frames(answer, request).map((frame) => Buffer.from(frame));
  if (fault === undefined) return void response.end(Buffer.concat(frames));
  const half = frames.slice(0, Math.floor(frames.length / 2));
  if (fault.kind === 'no-end') return void response.end(Buffer.concat(half));
  if (fault.kind === 'error-event') return void response.end(Buffer.concat([...half, Buffer.from(wire.errorFrame())]));
  response.write(Buffer.concat(half));
  if (fault.kind === 'cut') setTimeout(() => response.destroy(), 20);
}

/** Cuts a text into pieces, as a stream has them. */
export function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}
