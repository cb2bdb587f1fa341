/**
 * Maps a failure of an MCP call to an error of the table, and states whether it is certain that nothing happened. It is certain
 * if nothing was sent. A server's answer is no proof: the server may act, and then answer that it refused.
 */
import type { ErrorCode } from '../../shared/wire/error-codes';
import { visible } from '../../shared/text/visible';
import { ToolError } from '../../tools/define/errors';
import { Unreachable, type Connection, NotSentAgain } from './connection';
import { sdk } from './sdk';
import { errorMessage } from '../../shared/text/error-message';

/** Limit for a server's message, characters. */
const MAX_SERVER_TEXT = 1500;

/** @param hadNoEffect the call itself was not sent, or a person has accepted this answer as a refusal */
export function failureOf(
  { server, short }: Pick<Connection, 'server' | 'short'>,
  error: unknown,
  hadNoEffect: boolean,
): ToolError {
  const serverText = visible(short(errorMessage(error), MAX_SERVER_TEXT).toWellFormed()).slice(0, MAX_SERVER_TEXT);
  const [code, reason, hint = ''] = classify(error, server.name);
  const message = `MCP server ${server.name}: ${serverText}`;
  return new ToolError(code, reason, message, { ...(hint === '' ? {} : { hint }), nothingHappened: hadNoEffect, cause: error });
}

/** The answer's code as the accepted-classes file lists it: `-32602` of JSON-RPC, `http-403`. Null: there was no answer. */
export function answerCode(error: unknown): string | null {
  if (error instanceof sdk.auth().UnauthorizedError) return 'http-401';
  if (error instanceof sdk.http().StreamableHTTPError) return `http-${error.code}`;
  return error instanceof sdk.types().McpError ? String(error.code) : null;
}

type FailureClass = [code: ErrorCode, reason: string, hint?: string];

function classify(error: unknown, server: string): FailureClass {
  if (error instanceof Unreachable) return ['NETWORK_ERROR', 'server_unreachable'];
  if (error instanceof sdk.auth().UnauthorizedError)
    return ['UNAUTHORIZED', 'login_needed', `Somebody has to log in: holdfast mcp login ${server}`];
  if (error instanceof NotSentAgain) return ['UNAUTHORIZED', 'login_renewed'];
  if (error instanceof sdk.http().StreamableHTTPError) return ofHttp(error.code);
  const { ErrorCode: Rpc, McpError } = sdk.types();
  if (!(error instanceof McpError)) return ['NETWORK_ERROR', 'connection_failed'];
  switch (error.code) {
    case Rpc.InvalidParams:
    case Rpc.InvalidRequest:
      return ['INVALID_PARAMS', 'refused_by_server'];
    case Rpc.MethodNotFound:
      return ['TOOL_NOT_FOUND', 'unknown_to_server'];
    case Rpc.ConnectionClosed:
      return ['NETWORK_ERROR', 'server_gone'];
    case Rpc.RequestTimeout:
      return ['TIMEOUT', 'no_answer'];
    default:
      return ['EXECUTION_ERROR', 'server_error'];
  }
}

function ofHttp(status: number | undefined): FailureClass {
  if (status === 401) return ['UNAUTHORIZED', 'not_authorized', "Look at the server's headers or oauth in the servers' file."];
  if (status === 403) return ['PERMISSION_DENIED', 'refused_by_server'];
  if (status === 404) return ['NETWORK_ERROR', 'session_gone'];
  if (status === 429) return ['RATE_LIMITED', 'server_busy'];
  if (status === 400) return ['EXECUTION_ERROR', 'bad_request'];
  return ['NETWORK_ERROR', 'http_failure'];
}
