/** What tools log in a client's own calls, as MCP's log messages: from the level on that the client has set, before that nothing. */
import { sdk, type LoggingLevel, type Server, type ServerNotification } from './sdk';
import type { TurnEvent } from '../../shapes/turn-event';

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
