/**
 * What an error of a connection over HTTP means. A broken stream may have lost an answer for good. But the SDK reports a refused
 * request and an invalid event in the same way, and then other calls go on. So the server is asked by a ping whether it still knows
 * this session. A server can cause any number of errors: one ping is sent at a time, and the next one only after a pause.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TOO_LARGE } from './bounded-fetch';
import { sdk, type Client } from './sdk';

const PING_MS = 5000;
const PAUSE_MS = 3000;

/**
 * @param disconnect called if the connection is of no more use
 * @returns a function that takes each error of the client
 */
export function examiner(
  client: Pick<Client, 'ping'>,
  disconnect: (why: string) => void,
  pauseMs = PAUSE_MS,
): (error: Error) => void {
  /** Errors since the last ping was sent. The first two are enough, since one of them may be the ping's own. */
  let errors: Error[] = [];
  /** Stays true after a disconnection. */
  let isBusy = false;

  async function examine(): Promise<void> {
    isBusy = true;
    for (let error = errors[0]; error !== undefined; error = errors[0]) {
      errors = [];
      const pingError = await client.ping({ timeout: PING_MS }).then(
        () => null,
        (failure: Error) => failure,
      );
      if (pingError !== null && isGone(pingError)) return disconnect(error.message);
      errors = errors.filter((one) => one !== pingError);
      await sleep(pauseMs, undefined, { ref: false });
    }
    isBusy = false;
  }

  return (error) => {
    if (hasEnded(error)) return disconnect(error.message);
    if (errors.length < 2) errors.push(error);
    if (!isBusy) void examine();
  };
}

/** The stream of the connection has ended, or a message was too large: of a stream's error the SDK keeps only the message. */
function hasEnded(error: Error): boolean {
  return error instanceof sdk.sse().SseError || error.message.includes(TOO_LARGE);
}

/** A refusal shows that the server is up: other requests over this connection may still be answered. */
function isGone(error: Error): boolean {
  const status = statusOf(error);
  if (status !== null) return ![401, 403, 429].includes(status);
  const { ErrorCode, McpError } = sdk.types();
  if (error instanceof McpError) return error.code === Number(ErrorCode.ConnectionClosed) || isTimeout(error);
  return error.name === 'TypeError'; // `fetch` could not connect
}

/** The transport of 2024 names the status in its message only. */
function statusOf(error: Error): number | null {
  if (error instanceof sdk.http().StreamableHTTPError) return error.code ?? 0;
  const [, status] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(error.message) ?? [];
  return status === undefined ? null : Number(status);
}

export function isTimeout(error: unknown): boolean {
  const { ErrorCode, McpError } = sdk.types();
  return error instanceof McpError && error.code === Number(ErrorCode.RequestTimeout);
}
