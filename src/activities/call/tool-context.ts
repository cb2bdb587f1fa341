/** Makes what a tool's function gets besides its input: log, notes, network clock, cursors, stored results, and files. */
import type { LaterCompletion, TurnContext } from '../../shared/io/activities';
import { asJson, type Json, type JsonObject } from '../../shared/json/json';
import { type Store, StoreError } from '../../store/store';
import { withoutBytes, INLINE_FILE_BYTES, type BinaryFile, type FileResult } from '../../tools/results/result-files';
import { cursorsFor } from '../../tools/results/pages';
import type { GivenContext } from '../../tools/run/run';
import { ToolError } from '../../tools/define/errors';
import { readResultOrData } from '../../record/parts';
import type { Later, LaterOptions, Tool, ToolContext, ToolLogger } from '../../tools/define/tool';
import { redact, redactedText } from '../../telemetry/log';
import { issueToken, type IssuedToken } from '../../completions/token';
import { presignedPath, type StoredFile } from '../../store/core/identity';
import { keyOf } from '../effects/effect-record';
import type { Dependencies } from '../ports';
import type { CallContext } from './call-context';

/** Maximum number of notes of a run; far fewer are shown (`direct-envelope.ts`). */
const MOST_NOTES = 1000;

/** What a run noted besides its result. */
export interface RunNotes {
  /** Time in `network()`, ms; calls that overlap count once. */
  networkMs(): number;
  debug: JsonObject[];
}

/** The context of a tool's function, without signal and deadline, which the runner adds; and the notes of the run. */
export function toolContext(
  deps: Dependencies,
  turn: TurnContext,
  facts: {
    tool: string;
    callId: string;
    idempotencyKey: string;
    attempt: number;
    progress: ToolContext['progress'];
    /** Default: the worker's. */
    log?: ToolLogger;
    /** Default: the call cannot end later. */
    later?: ToolContext['later'];
  },
): { context: GivenContext; notes: RunNotes } {
  const { tool, callId, ...given } = facts;
  const clock = new NetworkClock();
  const debug: JsonObject[] = [];
  const context = {
    log: deps.log,
    later: notHere,
    ...given,
    traceId: turn.trace_id,
    principal: turn.requester,
    network: <T>(work: () => Promise<T>) => clock.measure(work),
    debug: (fields: JsonObject) => void (debug.length < MOST_NOTES && debug.push(fields)),
    cursors: cursorsFor(deps.store.derivedKey('cursors'), { tool, principal: turn.requester }),
    store: {
      readResult: (ref: string) => readResultOf(deps.store, turn, ref),
      keepResult: (data: Json) => keepResultOf(deps.store, turn, callId, data),
    },
  };
  return { context, notes: { networkMs: () => clock.total(), debug } };
}

async function notHere(): Promise<never> {
  throw new ToolError(
    'EXECUTION_ERROR',
    'not_in_run',
    'ctx.later is for a tool’s run function: only there a call can end later.',
  );
}

/** Stores a part that names its turn like a stored result, so that `read_result` gives it to no other turn or session. */
function keepResultOf(store: Store, turn: TurnContext, callId: string, data: Json): Promise<string> {
  const { turn_id, session_id } = turn;
  return store.putPart(turn.first_execution_run_id, { turn_id, session_id, call_id: callId, kept: data });
}

/** Data of a stored result of this turn, or of its session: a copy, which the tool may change. The part names its owner. */
async function readResultOf(store: Store, turn: TurnContext, ref: string): Promise<Json> {
  const unknown = new ToolError('RESOURCE_NOT_FOUND', 'unknown_ref', `There is no result ${ref} in this conversation.`, {
    hint: 'Use the ref exactly as the result gave it.',
    nothingHappened: false, // the tool may have acted before it asked
  });
  const body = await store.getPart(ref).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'not_found') throw unknown;
    throw error;
  });
  const part = readResultOrData(body);
  if (part === null) throw unknown;
  const sameSession = turn.session_id !== null && part.session_id === turn.session_id;
  if (part.turn_id !== turn.turn_id && !sameSession) throw unknown;
  if ('kept' in part) return structuredClone(part.kept);
  const { envelope } = part;
  // Without the bytes of files: the tool may pass this to the model.
  return structuredClone(envelope.success ? withoutBytes(envelope.data) : asJson(envelope.error));
}

/** Measures how long at least one upstream request was running; parallel ones count once. */
export class NetworkClock {
  private running = 0;
  private since = 0;
  private sum = 0;

  async measure<T>(work: () => Promise<T>): Promise<T> {
    if (this.running++ === 0) this.since = Date.now();
    try {
      return await work();
    } finally {
      if (--this.running === 0) this.sum += Date.now() - this.since;
    }
  }

  /** Milliseconds so far. */
  total(): number {
    return this.sum + (this.running > 0 ? Date.now() - this.since : 0);
  }
}

// A tool's log that also goes to the MCP client that made the call: without secrets and stacks, limited in lines and length.

export interface LogLine {
  level: 'debug' | 'info' | 'warning' | 'error';
  /** JSON: a text, or the fields with the text as `message`. */
  text: string;
}

/** Maximum number of lines of one run. */
const MOST_LINES = 500;
/** Maximum bytes of one line: PostgreSQL carries 8,000 in one message. */
const MOST_BYTES = 3000;
/** Characters of the message that are kept of a longer line. */
const MOST_MESSAGE = 500;

/** @param tell gets each line after it was logged; must not throw */
export function clientLog(log: ToolLogger, tell: (line: LogLine) => void): ToolLogger {
  let remaining = MOST_LINES;
  const teller =
    (method: keyof ToolLogger, level: LogLine['level']) =>
    (fields: object, message?: string): void => {
      log[method](fields, message);
      if (remaining-- <= 0) return;
      tell({ level, text: textOf(fields, message) });
    };
  return {
    debug: teller('debug', 'debug'),
    info: teller('info', 'info'),
    warn: teller('warn', 'warning'),
    error: teller('error', 'error'),
  };
}

function textOf(fields: unknown, message: unknown): string {
  try {
    return lineOf(fields, message);
  } catch {
    return '"[unreadable]"'; // a line that cannot be read must not fail the call
  }
}

/** A tool may log anything, also a text or an error in place of the fields. */
function lineOf(anyFields: unknown, anyMessage: unknown): string {
  const first = typeof anyFields === 'string' ? anyFields : undefined;
  const message = [first, anyMessage]
    .filter((text) => text !== undefined)
    .map((text) => redactedText(String(text)).toWellFormed());
  const fields =
    anyFields instanceof Error ? { err: anyFields } : typeof anyFields === 'object' && anyFields !== null ? anyFields : {};
  const text = message.join(' ');
  const copy = redact(fields);
  const data = Object.keys(copy).length === 0 ? text : { ...copy, ...(text === '' ? {} : { message: text }) };
  const json = JSON.stringify(data, (name, value: unknown) => (name === 'stack' ? undefined : value));
  if (Buffer.byteLength(JSON.stringify(json)) <= MOST_BYTES) return json;
  return JSON.stringify({ message: text.slice(0, MOST_MESSAGE).toWellFormed(), cut: true });
}

// Stores the files of a tool, and makes the references to them in the result.

type Needs = Pick<Dependencies, 'store' | 'publicUrl'>;

/** Small files go into the result as base64, others as a URL. */
export async function keepFile(deps: Needs, turn: TurnContext, callId: string, file: BinaryFile): Promise<FileResult> {
  const { bytes } = file;
  if (bytes.byteLength >= INLINE_FILE_BYTES) return storeWithUrl(deps, turn, callId, file);
  const content_base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { ...(await store(deps, turn, callId, file)), content_base64 };
}

/** As a URL, whatever the size. */
export async function storeWithUrl(deps: Needs, turn: TurnContext, callId: string, file: BinaryFile): Promise<FileResult> {
  const reference = await store(deps, turn, callId, file);
  return { ...reference, ...presignUrl(deps, reference.ref) };
}

async function store(
  deps: Needs,
  turn: TurnContext,
  callId: string,
  { filename, contentType, bytes }: BinaryFile,
): Promise<StoredFile & { ref: string }> {
  const sha256 = await deps.store.putBytes(bytes);
  const file = { filename, content_type: contentType, size: bytes.byteLength, sha256 };
  const ref = await deps.store.putPart(turn.first_execution_run_id, { turn_id: turn.turn_id, call_id: callId, file });
  return { ...file, ref };
}

/** A URL that is valid for an hour. */
export function presignUrl({ store, publicUrl }: Needs, ref: string): { url: string; expires_at: string } {
  const { path, expires_at } = presignedPath(store.derivedKey('presign'), ref, Date.now());
  return { url: `${publicUrl}${path}`, expires_at };
}

// Calls that end later: `ctx.later`.

const SHORTEST_MS = 1000;
const LONGEST_MS = 366 * 24 * 3_600_000;
/** Default first pause before the tool's `poll` is asked. */
const POLL_EVERY_MS = 60_000;
/** `ctx.later` of one run of a tool. */
export class LaterEnd {
  private ownToken: IssuedToken | null = null;

  /** @param onAsked records what the tool has asked for, before it goes on */
  constructor(
    private readonly run: CallContext,
    private readonly onAsked: (later: LaterCompletion) => Promise<void> = async () => undefined,
  ) {}

  /** How the call ends later. Null: the tool has not asked for that. */
  get completion(): LaterCompletion | null {
    return this.ownToken?.later ?? null;
  }

  /** Whether a tool's result is what `ctx.later` gave it. A thread copies it. */
  isLater(value: unknown): boolean {
    return this.ownToken !== null && (value as Partial<Later> | null)?.token === this.ownToken.token;
  }

  /** `ctx.later` */
  async ask(options: LaterOptions): Promise<Later> {
    const { deps, turn, call, tool } = this.run;
    const faults = laterFaults(options, tool);
    if (faults.length > 0) throw new ToolError('EXECUTION_ERROR', 'bad_later', `ctx.later: ${faults.join('; ')}.`);
    const key = keyOf(turn, call);
    const { turn_id, workflow_id, first_execution_run_id: scope } = turn;
    const poll_ms = options.poll ? pollMs(options.poll) : undefined;
    const ownToken = await issueToken(deps.store, {
      ...{ turn_id, workflow_id, scope, call_id: call.id, tool: tool.name, idempotency_key: key, expires_ms: options.expiresMs },
      ...(poll_ms === undefined ? {} : { poll_ms }),
    });
    const { token, later } = ownToken;
    await this.onAsked(later);
    this.ownToken = ownToken;
    return { url: `${deps.publicUrl}/v1/completions/${token}`, token, expires_at: later.expires_at };
  }
}

function laterFaults({ expiresMs, poll }: LaterOptions, tool: Tool): string[] {
  const isWithin = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= SHORTEST_MS && (value as number) <= LONGEST_MS;
  return [
    ...(isWithin(expiresMs) ? [] : [`expiresMs must be an integer from ${SHORTEST_MS} to ${LONGEST_MS}`]),
    ...(poll && !tool.poll ? [`poll is given, and ${tool.name} has no poll function`] : []),
    ...(poll && !isWithin(pollMs(poll)) ? [`poll.everyMs must be an integer from ${SHORTEST_MS} to ${LONGEST_MS}`] : []),
  ];
}

function pollMs(poll: true | { everyMs?: number }): number {
  return (poll === true ? undefined : poll.everyMs) ?? POLL_EVERY_MS;
}
