/** Checks the request for a direct call, and defines the handle on a call that runs. */
import { canonical } from '../../shared/json/canonical';
import { type Envelope, callError } from '../../shared/wire/errors';
import { directCallId, LOCAL_PRINCIPAL, newTurnId, traceId, turnIdFromKey } from '../../shared/ids';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import type { DirectCallView, TurnView } from '../../shared/turn/turn-view';
import type { CallInput, CallOptions } from '../../workflows/contract';
import { InvalidRequest } from '../errors';
import type { TurnHandle } from './turn-handle';
import { errorMessage } from '../../shared/text/error-message';

/** How one call is run; the defaults are as in a turn. */
export interface DirectCallOptions {
  /** false: a cached result is neither read nor written. Default true. */
  enableCache?: boolean;
  /** false: no progress while it runs. Default true. */
  enableStreaming?: boolean;
  /** false: one attempt, whatever its outcome. Default true. */
  enableRetry?: boolean;
  /** true: `debug_info` in the envelope, where the worker allows it (HOLDFAST_DEBUG_INFO). Default false. */
  debug?: boolean;
}

export interface DirectCall {
  tool: string;
  /** At most 200,000 characters of JSON. */
  input: JsonObject;
  /** The agent whose rules apply. May be left out when exactly one served agent has the tool. */
  agent?: string;
  /**
   * Idempotency key: the same key starts one call, for as long as the namespace retains it. Later, a call that may be destructive
   * does not run under it either: it ends with the error `key_forgotten`.
   */
  id?: string;
  /** Who asks. Default `local`. */
  requester?: string;
  options?: DirectCallOptions;
}

const MAX_INPUT = 200_000;

/** The workflow's argument. @throws InvalidRequest that names the field, its value and what is allowed */
export function callInput(request: DirectCall, random: string, nowMs: number): CallInput {
  const { tool, agent, id, requester = LOCAL_PRINCIPAL } = request;
  const text = (name: string, value: unknown, longest: number) => {
    if (typeof value !== 'string' || value === '' || value.length > longest || !value.isWellFormed())
      throw new InvalidRequest(`call: "${name}" must be well-formed text of 1 to ${longest} characters.`);
  };
  text('tool', tool, 100);
  text('requester', requester, 200);
  if (agent !== undefined) text('agent', agent, 64);
  if (id !== undefined) text('id', id, 1000);
  return {
    turn_id: directCallId(id === undefined ? newTurnId(nowMs, random) : turnIdFromKey(requester, id)),
    agent: agent ?? null,
    tool,
    input_json: inputJson(request.input),
    requester,
    trace_id: traceId(nowMs, random),
    options: wireOptions(request.options ?? {}),
  };
}

function inputJson(input: JsonObject): string {
  if (!isJsonObject(input)) throw new InvalidRequest('call: "input" must be a JSON object.');
  const json = canonicalOr(input);
  if (json.length > MAX_INPUT)
    throw new InvalidRequest(`call: "input" has ${json.length} characters of JSON; ${MAX_INPUT} are allowed.`);
  return json;
}

function canonicalOr(input: JsonObject): string {
  try {
    return canonical(input);
  } catch (error) {
    throw new InvalidRequest(`call: "input" is not JSON: ${errorMessage(error)}`);
  }
}

function wireOptions({ enableCache, enableStreaming, enableRetry, debug }: DirectCallOptions): CallOptions {
  const options = { enable_cache: enableCache, enable_streaming: enableStreaming, enable_retry: enableRetry, debug };
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && typeof value !== 'boolean')
      throw new InvalidRequest(`call: option "${name}" is ${JSON.stringify(value)}; it must be true or false.`);
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** One direct call. `turn` gives its view, its events, decisions and cancellation. */
export class CallHandle {
  constructor(readonly turn: TurnHandle) {}

  /** `call/<id>`: accepted wherever a turn id is. */
  get id(): string {
    return this.turn.id;
  }

  get uiUrl(): string | null {
    return this.turn.uiUrl;
  }

  /** Waits for the end. Returns the envelope of a failed, refused or cancelled call too. */
  async result(): Promise<Envelope> {
    return envelopeOf(await this.turn.result());
  }
}

/** A call that was ended from outside, or whose store failed, has no envelope of its own: one is made from its view. */
export function envelopeOf(view: TurnView): Envelope {
  const { envelope } = view as DirectCallView;
  if (envelope) return envelope;
  const [call] = view.calls;
  const message = `The call ended ${view.state} without a result. ${view.reason ?? ''}`.trim();
  return {
    success: false,
    status: 'error',
    error: call?.error ?? callError('EXECUTION_ERROR', 'no_result', message),
    metadata: {
      tool_name: call?.tool ?? '',
      tool_version: call?.version ?? '',
      execution_time_ms: 0,
      timestamp: view.ended_at ?? new Date().toISOString(),
      trace_id: view.trace_id,
      performance: { validation_ms: 0, network_ms: 0, processing_ms: 0 },
      cache: { hit: false },
    },
  };
}
