/** One direct call told as a stream, whoever has started it. */
import type { FastifyReply } from 'fastify';
import { envelopeOf, type CallHandle } from '../../client/turns/direct-call';
import type { Watched } from '../../client/events/feed';
import { positionText, type Position } from '../../client/events/position';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { ToolEvent } from '../../shapes/tool-event';
import type { Store } from '../../store/store';
import { withFilesCarried } from '../carried-files';
import { SseConnection } from './connection';
import { STREAM_SETTINGS } from './settings';
import { stream } from './stream';
import { streamed } from './turn-events';
import type { GatewayParts } from '../route';

/** Before all that the history has. */
export const BEGINNING = '0-0-0';

export function bare(callId: string): string {
  return callId.replace(/^call\//, '');
}

/** The events of a call that POST has started, from its beginning, as the answer itself. */
export async function streamCall(
  reply: FastifyReply,
  { parts, draining }: { parts: GatewayParts; draining: AbortSignal },
  { call, tool, traceId }: { call: CallHandle; tool: string; traceId: string },
): Promise<void> {
  const connection = new SseConnection(reply, { ...STREAM_SETTINGS, ...parts.streams }, draining);
  const told = new ToolStream(parts.store, { turn: call.turn, tool, traceId, after: null });
  const events = call.turn.stream({ after: null, signal: connection.signal });
  const translate = (watched: Watched) => told.translate(watched);
  await stream(reply, { connection, events, ended: false, first: told.started(), translate, log: parts.log });
}

interface StreamedCall {
  turn: TurnHandle;
  tool: string;
  /** Null: nobody knows it. */
  traceId: string | null;
  /** What has been told before; null: nothing. */
  after: Position | null;
}

type Told = ToolEvent & { id: string };

/** A call's events in the shapes of the tool specification (seeds, "SSE"). Only its end is a `tool_result` or a `tool_error`. */
export class ToolStream {
  private readonly call: string;
  private last: string;
  private toldOnce = 0;

  constructor(
    private readonly store: Store,
    private readonly of: StreamedCall,
  ) {
    this.call = bare(of.turn.id);
    this.last = `${this.call}:${of.after === null ? BEGINNING : positionText(of.after)}`;
  }

  /** Carries the first id: whoever loses the connection after it comes back to this call. */
  started(): Told {
    const data = { progress: 0, message: 'started', durable: true, call_id: this.of.turn.id };
    return { event: 'tool_progress', id: this.last, data: { ...data, metadata: this.metadata() } };
  }

  async translate(watched: Watched): Promise<Told[]> {
    const { position, event } = watched;
    const id = this.idOf(position);
    const metadata = this.metadata(event.at);
    const durable = position !== null;
    switch (event.type) {
      case 'tool_progress': {
        const progress = event.fraction === null ? null : Math.round(event.fraction * 100);
        return [{ event: event.type, id, data: { progress, message: event.message, durable, metadata } }];
      }
      case 'tool_retrying': {
        const { attempt, max_retries, code, error: message, next_attempt_at } = event;
        const error = { code: code ?? 'EXECUTION_ERROR', message };
        const data = { retry_count: attempt - 1, max_retries, error, next_attempt_at, durable, metadata };
        return [{ event: event.type, id, data }];
      }
      case 'approval_requested':
      case 'approval_decided': {
        const data = { ...streamed(watched, event), call_id: this.of.turn.id, metadata };
        return [{ event: event.type, id, data }];
      }
      case 'tool_error': {
        if (event.effect !== 'in_doubt') return []; // its end tells
        const message = 'Nobody knows what became of it; its probe is asked, then a person.';
        return [{ event: 'tool_progress', id, data: { progress: null, message, effect: 'in_doubt', durable, metadata } }];
      }
      case 'turn_completed': {
        const envelope = await withFilesCarried(this.store, envelopeOf(await this.of.turn.result()));
        return [envelope.success ? { event: 'tool_result', id, data: envelope } : { event: 'tool_error', id, data: envelope }];
      }
      default:
        return [];
    }
  }

  private idOf(position: Position | null): string {
    if (position === null) return `${this.last}.${(this.toldOnce += 1)}`;
    return (this.last = `${this.call}:${positionText(position)}`);
  }

  private metadata(timestamp = new Date().toISOString()) {
    const { tool: tool_name, traceId } = this.of;
    return { tool_name, timestamp, ...(traceId === null ? {} : { trace_id: traceId }) };
  }
}
