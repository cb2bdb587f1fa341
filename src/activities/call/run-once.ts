/** One run of a tool's function for a call, and the stored envelope of its result. */
import { Context } from '@temporalio/activity';
import type { LaterCompletion, RunCallOutput, TurnContext } from '../../shared/io/activities';
import type { Envelope, EnvelopeMetadata, CallError } from '../../shared/wire/errors';
import { asJson, type Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { timeLimitOf } from '../../shared/turn/tool-class';
import type { Deadline } from '../../tools/run/deadline';
import { deprecationMetadata } from '../../tools/define/versions';
import { storedResult } from '../../tools/results/result-text';
import type { Tool } from '../../tools/define/tool';
import { annotate } from '../../tools/admit/after-hooks';
import type { RunOutcome } from '../ports';
import type { CallContext, ToolCall } from './call-context';
import { keyOf } from '../effects/effect-record';
import { turnFacts } from '../admission/decide-call';
import { keepFile, clientLog, type LogLine, toolContext, LaterEnd } from './tool-context';
import type { Show } from './heartbeat';
import { runInlineOrInThread, type Limits } from './run-in-thread';

/**
 * Runs the tool. Throws only on cancellation.
 * @param options.onLater records that the call ends later, before its tool goes on
 */
export async function runOnce(
  run: CallContext,
  options: {
    show: Show;
    cancelled?: AbortSignal;
    begins?: Deadline;
    stopped?: Limits['stopped'];
    onLater?: (later: LaterCompletion) => Promise<void>;
  },
): Promise<RunOutcome> {
  const { deps, turn, call, tool, request } = run;
  const end = new LaterEnd(run, options.onLater);
  const began = Date.now();
  let hasPublished = false;
  const tellLog = (line: LogLine) => {
    hasPublished = true;
    deps.live.publish(turn.turn_id, { at: new Date().toISOString(), type: 'tool_log', call: call.id, tool: tool.name, ...line });
  };
  const { context, notes } = toolContext(deps, turn, {
    ...(deps.registry.toolLogs ? { log: clientLog(deps.log, tellLog) } : {}),
    tool: tool.name,
    callId: call.id,
    idempotencyKey: keyOf(turn, call),
    attempt: Context.current().info.attempt,
    later: (choice) => end.ask(choice),
    progress: (message, fraction) => {
      if (request.options?.enable_streaming === false) return;
      const progress = progressOf(message, fraction);
      options.show({ progress });
      hasPublished = true;
      deps.live.publish(turn.turn_id, { at: new Date().toISOString(), type: 'tool_progress', call: call.id, ...progress });
    },
  });
  const result = await runInlineOrInThread(run, context, {
    timeoutMs: timeLimitOf(tool),
    log: deps.log,
    keepFile: (file) => keepFile(deps, turn, call.id, file),
    isLater: (value) => end.isLater(value),
    ...(options.cancelled ? { cancelled: options.cancelled } : {}),
    ...optional({ begins: options.begins, stopped: options.stopped }),
  });
  // Wait until progress events are sent: clients drop the progress of a call that has ended.
  if (hasPublished) await deps.live.sent();
  const times = { validationMs: request.validation_ms ?? 0, networkMs: notes.networkMs() };
  const later = end.completion;
  return { result, metadata: metadataOf(tool, turn, began, times), notes: notes.debug, tried: true, later };
}

/** A tool may report anything: progress is reduced to a short text and a fraction from 0 to 1. */
function progressOf(message: unknown, fraction: unknown): { message: string; fraction: number | null } {
  const part = typeof fraction === 'number' && Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : null;
  return { message: String(message).slice(0, 500).toWellFormed(), fraction: part };
}

export function metadataOf(
  tool: Tool,
  turn: TurnContext,
  began: number,
  {
    cache = { hit: false },
    validationMs = 0,
    networkMs = 0,
  }: { cache?: EnvelopeMetadata['cache']; validationMs?: number; networkMs?: number } = {},
): EnvelopeMetadata {
  const took = Date.now() - began;
  return {
    tool_name: tool.name,
    tool_version: tool.version,
    execution_time_ms: validationMs + took,
    timestamp: new Date().toISOString(),
    trace_id: turn.trace_id,
    performance: { validation_ms: validationMs, network_ms: networkMs, processing_ms: took - networkMs },
    cache,
    ...deprecationMetadata(tool),
  };
}

/** Metadata of an envelope without a run; with workflow time, so that a retried activity stores the same envelope. */
export function metadataAt(tool: Tool, turn: TurnContext, at: string): EnvelopeMetadata {
  const none = { execution_time_ms: 0, performance: { validation_ms: 0, network_ms: 0, processing_ms: 0 } };
  return { ...metadataOf(tool, turn, Date.parse(at)), ...none, timestamp: at };
}

export function success(data: Json, metadata: EnvelopeMetadata): Envelope {
  return { success: true, status: 'success', data, metadata };
}

export function failure(error: CallError, metadata: EnvelopeMetadata): Envelope {
  return { success: false, status: 'error', error, metadata };
}

/** Stores an envelope. Returns its reference, and the summary that people see. */
export async function keep(
  { deps, turn, call, tool, input }: ToolCall,
  envelope: Envelope,
): Promise<{ result_ref: string; summary: string }> {
  const owner = { turn_id: turn.turn_id, session_id: turn.session_id, call_id: call.id };
  const part = storedResult(tool, input, envelope, owner);
  const result_ref = await deps.store.putPart(turn.first_execution_run_id, asJson(part));
  return { result_ref, summary: part.summary };
}

/** The output of a call that did not run; if it is destructive, it had no effect. */
export async function refusal(run: CallContext, error: CallError): Promise<RunCallOutput> {
  const { turn, call, tool } = run;
  const resultPart = await keep(run, failure(error, metadataOf(tool, turn, Date.now())));
  return {
    ...resultPart,
    state: 'failed',
    effect: call.class === 'destructive' ? 'not_applied' : null,
    error,
    attempts: 0,
    took_ms: 0,
    head: null,
  };
}

/** The envelope with the notes of after-hooks; the same object if there are none. */
export function withAfterHooks({ deps, request, tool, input }: CallContext, envelope: Envelope): Promise<Envelope> {
  const { turn, call, untrusted } = request;
  const hooks = deps.registry.forTurn(turn)?.hooks.after ?? [];
  const facts = turnFacts(turn, call.id, untrusted ?? false);
  return annotate(hooks, { tool: tool.name, version: tool.version, class: tool.class, input, turn: facts }, envelope, deps.log);
}
