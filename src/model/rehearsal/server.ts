/**
 * The rehearsal: a real HTTP server that speaks the Messages API and plays a model. With it the whole engine runs, SDK and wire
 * included, without a key or network. It keeps nothing of a conversation: every answer is computed from the request (and from the
 * faults and the script of a test).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { siteFault } from '../../shared/wire/cross-site-check';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { isAnalyst, playAnalyst } from './analyst';
import { readConversation, type Conversation } from './conversation';
import { FaultQueue, type Fault } from './faults';
import { improvise } from './improviser';
import { sha256Hex } from '../../shared/json/sha256';
import { REHEARSAL_MODEL } from '../provider';
import { answerOf, withIds, type Answer } from './message';
import { misbehave } from './misbehave';
import { refuse, sendMessage, sendStream } from './send';
import { playToResult } from './typed-result';
import { Script, type ScriptLine } from './script';
import { isShowcase, playShowcase } from './showcase';
import { wantsThinking, withThinking } from './thinking';
import { sentTokens, usageOf } from './usage';
import { requestFault } from './validate';

export interface RehearsalOptions {
  /** @default 0: any free port */
  port?: number;
  /** Faults, one for each request in order. */
  faults?: Fault[];
  /** Answers to give instead of playing; after the last one, requests are refused. */
  script?: ScriptLine[];
  /** Awaited before each answer: a test's barrier. `index` counts from 0. */
  onRequest?(body: JsonObject, index: number): Promise<void> | void;
  /** How many of the latest request bodies are kept. @default 200 */
  keep?: number;
}

export interface Rehearsal {
  /** `http://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly port: number;
  /** The latest request bodies, oldest first. */
  readonly requests: readonly JsonObject[];
  /** Replaces the remaining faults. */
  setFaults(faults: Fault[]): void;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** Largest body that is accepted, bytes: the API's own limit. */
const MAX_BODY = 32 * 1024 * 1024;

/** Starts a rehearsal on 127.0.0.1. @throws when the port is taken */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const stage = new Stage(options);
  const server = createServer((request, response) => {
    stage
      .serve(request, response)
      .catch((error: unknown) => refuse(response, 500, `the rehearsal itself failed: ${String(error)}`));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests: stage.requests,
    setFaults: (faults) => stage.faults.set(faults),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Stage {
  readonly requests: JsonObject[] = [];
  readonly faults = new FaultQueue();
  private readonly script: Script | undefined;
  private count = 0;

  constructor(private readonly options: RehearsalOptions) {
    this.faults.set(options.faults ?? []);
    this.script = options.script && new Script(options.script);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = siteFault(request.headers, request.socket.localAddress, {});
    if (fault !== null) return refuse(response, 403, fault);
    const path = new URL(request.url ?? '/', 'http://rehearsal').pathname;
    if (request.method === 'POST' && path === '/v1/messages/count_tokens') return this.countTokens(request, response);
    const index = this.count++;
    response.setHeader('request-id', `req_rehearsal_${index + 1}`);
    if (request.method !== 'POST' || path !== '/v1/messages')
      return refuse(response, 404, `no such address: ${request.method} ${path}`);
    if (!request.headers['x-api-key'] && !request.headers.authorization)
      return refuse(response, 401, 'x-api-key header is required');
    const text = await readBody(request);
    if (text === undefined) return refuse(response, 413, `the body is larger than ${MAX_BODY} bytes`);
    const body = parseBody(text);
    if (isJsonObject(body)) this.record(body);
    const wrong = requestFault(body);
    if (wrong !== undefined || !isJsonObject(body)) return refuse(response, 400, wrong ?? 'not JSON');
    await this.options.onRequest?.(body, index);
    await this.answer(body, response);
  }

  private async countTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseBody((await readBody(request)) ?? '');
    if (!isJsonObject(body)) return refuse(response, 400, 'not JSON');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ input_tokens: sentTokens(body) }));
  }

  private async answer(body: JsonObject, response: ServerResponse): Promise<void> {
    const fault = this.faults.next();
    if (typeof fault?.kind === 'number') return refuse(response, fault.kind, 'a rehearsed failure', fault);
    const conversation = readConversation(body);
    const line = this.script?.next(body) ?? answerOf(playToResult(conversation, play));
    if ('exhausted' in line) return refuse(response, 400, line.exhausted);
    const answer = this.finish(line, fault, conversation, body);
    const head = {
      id: `msg_rehearsal_${sha256Hex(JSON.stringify(body)).slice(0, 24)}`,
      model: REHEARSAL_MODEL,
      usage: usageOf(body, answer.content),
    };
    if (body.stream === true) await sendStream(response, answer, head, fault);
    else sendMessage(response, answer, head);
  }

  private finish(line: Answer, fault: Fault | undefined, conversation: Conversation, body: JsonObject): Answer {
    const answer = misbehave(line, fault, conversation);
    const thinks = fault?.kind === 'thinking' || (this.script === undefined && wantsThinking(body));
    return withIds(thinks ? withThinking(answer) : answer, body);
  }

  private record(body: JsonObject): void {
    this.requests.push(body);
    if (this.requests.length > (this.options.keep ?? 200)) this.requests.shift();
  }
}

function play(conversation: Conversation) {
  if (isShowcase(conversation)) return playShowcase(conversation);
  return isAnalyst(conversation) ? playAnalyst(conversation) : improvise(conversation);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size <= MAX_BODY ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function parseBody(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
