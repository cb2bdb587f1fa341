/** What goes wrong between us and a server, as an error of the table; and whether it is certain that nothing has happened. */
import type { ErrorCode } from '../../shared/errors';
import { visible } from '../../shared/visible';
import { ToolError } from '../../tools/errors';
import { Unreachable, type Connection } from './connection';
import { sdk } from './sdk';

/** @param sent false: the call itself had not been sent yet */
export function failureOf({ server, clean }: Pick<Connection, 'server' | 'clean'>, error: unknown, sent: boolean): ToolError {
  const said = visible(clean(error instanceof Error ? error.message : String(error)).toWellFormed()).slice(0, 1500);
  const [code, reason, hint, refused] = classified(error, server.name);
  const message = `MCP server ${server.name}: ${said}`;
  return new ToolError(code, reason, message, {
    ...(hint === '' ? {} : { hint }),
    nothingHappened: refused || !sent,
    cause: error,
  });
}

/** code, reason, hint, and whether the server refused it before acting: by JSON-RPC and HTTP, such an answer means just that. */
function classified(error: unknown, server: string): [ErrorCode, string, string, boolean] {
  if (error instanceof Unreachable) return ['NETWORK_ERROR', 'server_unreachable', '', true];
  if (error instanceof sdk.auth().UnauthorizedError)
    return ['UNAUTHORIZED', 'login_needed', `Somebody has to log in: holdfast mcp login ${server}`, true];
  if (error instanceof sdk.http().StreamableHTTPError) return ofHttp(error.code);
  const { ErrorCode: Rpc, McpError } = sdk.types();
  if (!(error instanceof McpError)) return ['NETWORK_ERROR', 'connection_failed', '', false];
  switch (error.code) {
    case Rpc.InvalidParams:
    case Rpc.InvalidRequest:
      return ['INVALID_PARAMS', 'refused_by_server', '', true];
    case Rpc.MethodNotFound:
      return ['TOOL_NOT_FOUND', 'unknown_to_server', '', true];
    case Rpc.ConnectionClosed:
      return ['NETWORK_ERROR', 'server_gone', '', false];
    case Rpc.RequestTimeout:
      return ['TIMEOUT', 'no_answer', '', false];
    default:
      return ['EXECUTION_ERROR', 'server_error', '', false];
  }
}

function ofHttp(status: number | undefined): [ErrorCode, string, string, boolean] {
  if (status === 401)
    return ['UNAUTHORIZED', 'not_authorized', "Look at the server's headers or oauth in the servers' file.", true];
  if (status === 403) return ['PERMISSION_DENIED', 'refused_by_server', '', true];
  if (status === 404) return ['NETWORK_ERROR', 'session_gone', '', true];
  if (status === 429) return ['RATE_LIMITED', 'server_busy', '', true];
  if (status === 400) return ['EXECUTION_ERROR', 'bad_request', '', true];
  return ['NETWORK_ERROR', 'http_failure', '', false];
}
