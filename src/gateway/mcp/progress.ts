/** What happens meanwhile, lasting or only live, as MCP's progress notifications. */
import { isDirectCallId } from '../../shared/ids';
import { mcpProgress } from '../../tools/convert';
import type { TurnEvent } from '../../shapes/turn-event';
import { type ServerNotification, sdk, type LoggingLevel, type Server } from './sdk';

type ProgressUpdate = { message: string; fraction?: number };

/** Text is shown at this pace, its end only. */
const TEXT_EVERY_MS = 500;
const TEXT_END = 300;
const MOST_MESSAGE = 1000;
/** A tool that talks without end must not fill the memory of whoever reads slowly. */
const MOST_NOTIFICATIONS = 2000;

/**
 * For the events of one turn, as they come.
 * @param send may fail: whoever asked may be gone
 */
export function reportProgress(
  turnId: string,
  token: string | number,
  send: (notification: ServerNotification) => Promise<void>,
): (event: TurnEvent) => void {
  const next = mcpProgress(token);
  // Of a turn nobody knows how far it is: one tool's part of its own work would mislead.
  const single = isDirectCallId(turnId);
  const pace = endOfText();
  let left = MOST_NOTIFICATIONS;
  return (event) => {
    const said = event.type === 'text_delta' ? pace(event) : saidOf(event, single);
    if (said === null || left-- <= 0) return;
    const { method, params } = next(said.message.slice(0, MOST_MESSAGE).toWellFormed(), single ? said.fraction : undefined);
    void send({ method, params }).catch(() => undefined);
  };
}

/** Null: it is too soon for more. */
function endOfText(): (event: TurnEvent & { type: 'text_delta' }) => ProgressUpdate | null {
  let end = '';
  let begun = '';
  let saidAt = 0;
  return ({ step, attempt, text }) => {
    const which = `${step}.${attempt}`;
    if (which !== begun) [begun, end] = [which, ''];
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
    case 'approval_requested':
      return { message: `${event.tool} waits for a person to approve it` };
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

// What tools log in a client's own calls, as MCP's log messages: from the level on that the client has set, before that nothing.

/** From the least to the gravest, as the protocol has them. */
const LEVELS: readonly LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** A tool that logs without end must not fill the memory of whoever reads slowly. */
const MOST_MESSAGES = 1000;

export class ToolLogs {
  private least: LoggingLevel | null = null;

  /** The server has the capability already. */
  constructor(server: Server) {
    server.setRequestHandler(sdk.types().SetLevelRequestSchema, ({ params }) => {
      this.least = params.level;
      return {};
    });
  }

  /**
   * For the events of one call of the client's own.
   * @param send may fail: whoever asked may be gone
   */
  report(send: (notification: ServerNotification) => Promise<void>): (event: TurnEvent) => void {
    let left = MOST_MESSAGES;
    return (event) => {
      if (event.type !== 'tool_log' || this.least === null) return;
      if (LEVELS.indexOf(event.level) < LEVELS.indexOf(this.least) || left-- <= 0) return;
      const params = { level: event.level, logger: event.tool, data: dataOf(event.text) };
      void send({ method: 'notifications/message', params }).catch(() => undefined);
    };
  }
}

/** It has come over a wire that others can write to. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
