/** Reports a turn's events to an MCP client: as progress notifications, and tool logs as log messages. */
import { isDirectCallId } from '../../shared/ids';
import { mcpProgress } from '../../tools/convert';
import type { TurnEvent } from '../../shapes/turn-event';
import { type ServerNotification, sdk, type LoggingLevel, type Server } from './sdk';

type ProgressUpdate = { message: string; fraction?: number };

/** Interval at which text is shown, ms; only its end is shown. */
const TEXT_EVERY_MS = 500;
const TEXT_END = 300;
const MOST_MESSAGE = 1000;
/** A tool that reports without end must not fill memory while a client reads slowly. */
const MOST_NOTIFICATIONS = 2000;

/**
 * Returns a listener for the events of one turn.
 * @param send may fail: the client may be gone
 */
export function reportProgress(
  turnId: string,
  token: string | number,
  send: (notification: ServerNotification) => Promise<void>,
): (event: TurnEvent) => void {
  const next = mcpProgress(token);
  // The progress of a turn is not known: one tool's fraction of its own work would mislead.
  const single = isDirectCallId(turnId);
  const pace = endOfText();
  let remaining = MOST_NOTIFICATIONS;
  return (event) => {
    const update = event.type === 'text_delta' ? pace(event) : saidOf(event, single);
    if (update === null || remaining-- <= 0) return;
    const { method, params } = next(update.message.slice(0, MOST_MESSAGE).toWellFormed(), single ? update.fraction : undefined);
    void send({ method, params }).catch(() => undefined);
  };
}

/** Null: the last update was too recent. */
function endOfText(): (event: TurnEvent & { type: 'text_delta' }) => ProgressUpdate | null {
  let end = '';
  let current = '';
  let saidAt = 0;
  return ({ step, attempt, text }) => {
    const which = `${step}.${attempt}`;
    if (which !== current) [current, end] = [which, ''];
    end = `${end}${text}`.slice(-TEXT_END);
    const now = performance.now();
    if (now - saidAt < TEXT_EVERY_MS) return null;
    saidAt = now;
    return { message: end };
  };
}

function saidOf(event: TurnEvent, single: boolean): ProgressUpdate | null {
  switch (event.type) {
    case 'tool_progress':
      return { message: event.message, ...(event.fraction === null ? {} : { fraction: event.fraction }) };
    case 'tool_retrying':
      return { message: `Attempt ${event.attempt} follows: ${event.error}` };
    case 'model_waiting':
      return { message: event.text };
    case 'approval_requested':
      return { message: `${event.tool} waits for a person to approve it` };
    case 'question_asked':
      return { message: `${event.tool} waits for a person to answer it` };
    case 'question_answered':
      return { message: event.expired ? `${event.tool}: nobody answered in time` : `${event.tool}: answered by ${event.by}` };
    case 'call_pending':
      return { message: `${event.tool} is pending until ${event.expires_at}` };
    case 'approval_decided':
      return { message: `${event.tool}: ${event.decision} by ${event.by}` };
    case 'step_started':
      return single ? null : { message: `Step ${event.step}` };
    case 'tool_started':
      return single ? null : { message: `${event.tool} runs` };
    default:
      return null;
  }
}

// Sends tool logs of a client's own calls as MCP's log messages: from the level on that the client has set, before that nothing.

/** By severity, the lowest first, as in the protocol. */
const LEVELS: readonly LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** A tool that logs without end must not fill memory while a client reads slowly. */
const MOST_MESSAGES = 1000;

export class ToolLogs {
  private least: LoggingLevel | null = null;

  /** The server already has the capability. */
  constructor(server: Server) {
    server.setRequestHandler(sdk.types().SetLevelRequestSchema, ({ params }) => {
      this.least = params.level;
      return {};
    });
  }

  /**
   * Returns a listener for the events of one of the client's own calls.
   * @param send may fail: the client may be gone
   */
  report(send: (notification: ServerNotification) => Promise<void>): (event: TurnEvent) => void {
    let remaining = MOST_MESSAGES;
    return (event) => {
      if (event.type !== 'tool_log' || this.least === null) return;
      if (LEVELS.indexOf(event.level) < LEVELS.indexOf(this.least) || remaining-- <= 0) return;
      const params = { level: event.level, logger: event.tool, data: dataOf(event.text) };
      void send({ method: 'notifications/message', params }).catch(() => undefined);
    };
  }
}

/** Other programs can write to the live channel, so the text may not be JSON. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
