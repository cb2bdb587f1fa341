/** Faults of the model that a test can order, as data and as text (`HOLDFAST_REHEARSAL_FAULTS`). */

export const HTTP_FAULTS = [400, 401, 403, 404, 408, 409, 413, 429, 500, 503, 529] as const;

/** What can go wrong besides an HTTP status, by name, with the effect on one answer. */
export const FAULT_KINDS = {
  ok: 'answers as it should; fills a place in the queue',
  cut: 'closes the connection in the middle of the stream',
  'no-stop': 'ends the stream properly, but without message_stop',
  'stream-error': 'sends an `error` event in the middle of the stream (type=overloaded_error)',
  slow: 'waits before every event (ms=200)',
  'malformed-json': 'streams JSON that does not parse as the input of a tool call',
  'cut-json': "cuts a tool call's JSON off and stops with max_tokens",
  'max-tokens': 'stops with max_tokens in the middle of the text',
  'stop-sequence': 'stops with stop_sequence',
  'unknown-tool': 'calls a tool that nobody offered',
  'proto-tool': 'calls a tool named __proto__ with an input that tries to change prototypes',
  parallel: 'makes many calls in one step (n=20)',
  confirmed: 'makes up a destructive call with confirmed: true',
  'duplicate-keys': 'gives one key twice in the input of a tool call',
  'bad-input': 'leaves the input of a tool call empty, against its schema',
  refusal: 'stops with refusal',
  'pause-turn': 'stops with pause_turn, to be sent the conversation again',
  'unknown-stop': 'stops for a reason that nobody knows',
  'server-tool': 'uses a server tool that was never offered',
  'unknown-block': 'sends a content block of an unknown type',
  thinking: 'thinks, with a signature, before it answers',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

export interface Fault {
  /** A name of {@link FAULT_KINDS}, or an HTTP status to answer with. */
  kind: FaultKind | (typeof HTTP_FAULTS)[number];
  /** How many requests it lasts for. @default 1 */
  times?: number;
  /** Statuses: the Retry-After header, seconds. */
  retryAfter?: number;
  /** Statuses: the x-should-retry header. */
  shouldRetry?: boolean;
  /** slow: milliseconds before each event. @default 200 */
  ms?: number;
  /** parallel: number of calls. @default 20 */
  n?: number;
  /** stream-error: type of the error. @default 'overloaded_error' */
  type?: string;
}

/**
 * Parses `429:retry-after=1,529*3,cut,slow:ms=50*all`: each fault applies to the next request, `*n` to n requests, `*all` to all
 * further ones.
 * @throws Error that names the wrong word and what is allowed
 */
export function parseFaults(text: string): Fault[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
    .map(parseFault);
}

function parseFault(word: string): Fault {
  const [, head, times] = /^(.*?)(?:\*(\d+|all))?$/.exec(word)!;
  const [name, ...settings] = head!.split(':');
  const status = HTTP_FAULTS.find((code) => String(code) === name);
  if (status === undefined && !Object.hasOwn(FAULT_KINDS, name!)) {
    throw new Error(
      `Rehearsal fault ${JSON.stringify(word)} is not known; use one of ${[...HTTP_FAULTS, ...Object.keys(FAULT_KINDS)].join(', ')}`,
    );
  }
  const fault: Fault = { kind: status ?? (name as FaultKind) };
  if (times !== undefined) fault.times = times === 'all' ? Infinity : Number(times);
  for (const setting of settings) Object.assign(fault, parseSetting(setting, word));
  return fault;
}

function parseSetting(setting: string, word: string): Partial<Fault> {
  const [key, value] = setting.split('=');
  const number = Number(value);
  if (value !== undefined && value !== '') {
    if (key === 'retry-after' && number >= 0) return { retryAfter: number };
    if (key === 'ms' && number >= 0) return { ms: number };
    if (key === 'n' && Number.isInteger(number) && number >= 1) return { n: number };
    if (key === 'type') return { type: value };
    if (key === 'should-retry') return { shouldRetry: value === 'true' };
  }
  throw new Error(
    `Rehearsal fault ${JSON.stringify(word)}: setting ${JSON.stringify(setting)} must be one of retry-after=SECONDS, should-retry=true|false, ms=N, n=N, type=NAME`,
  );
}

/** Returns the fault for each request, in order. */
export class FaultQueue {
  private queue: { fault: Fault; remaining: number }[] = [];

  set(faults: Fault[]): void {
    this.queue = faults.map((fault) => ({ fault, remaining: fault.times ?? 1 }));
  }

  next(): Fault | undefined {
    const head = this.queue[0];
    if (head === undefined) return undefined;
    head.remaining -= 1;
    if (head.remaining <= 0) this.queue.shift();
    return head.fault;
  }
}
