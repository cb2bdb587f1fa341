/** Errors of A2A: those of the gateway in the protocol's own form. What failed inside the gateway is logged, and not sent. */
import { wrongOf, type Wrong } from '../../gateway/http/errors';
import { ERROR_CODES } from '../../shared/wire/error-codes';
import type { ToolLogger } from '../../tools/define/tool';
import { sdk, type A2AError } from './sdk';

export function unknownTask(id: string): A2AError {
  const { TaskNotFoundError } = sdk.errors();
  return new TaskNotFoundError(`There is no task ${JSON.stringify(id.slice(0, 200))} that you may see.`);
}

export function badRequest(message: string): A2AError {
  const { RequestMalformedError } = sdk.errors();
  return new RequestMalformedError(message);
}

export function notPossible(message: string): A2AError {
  const { UnsupportedOperationError } = sdk.errors();
  return new UnsupportedOperationError(message);
}

/** @returns the error to send */
export function toA2AError(error: unknown, log: ToolLogger): A2AError {
  const { A2AError } = sdk.errors();
  if (error instanceof A2AError) return error;
  const wrong = wrongOf(error);
  if (wrong !== null) return ofWrong(wrong);
  log.error({ err: error }, 'an A2A request failed');
  return new A2AError('The request could not be answered; the log of the gateway says why.');
}

function ofWrong({ code, reason, message, hint }: Wrong): A2AError {
  const { A2AError, RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } = sdk.errors();
  const options = { message: hint === undefined ? message : `${message} ${hint}`, metadata: { code, reason } };
  if (reason === 'unknown_turn') return new TaskNotFoundError(options);
  if (code === 'INVALID_PARAMS' || code === 'RESOURCE_NOT_FOUND') return new RequestMalformedError(options);
  if (code === 'CONFIRMATION_REQUIRED' || code === 'PERMISSION_DENIED') return new UnsupportedOperationError(options);
  return new A2AError(options);
}

/** An error of the route as the answer to a JSON-RPC request. Its HTTP status is that of the same error on the other routes. */
export function rpcError(
  error: unknown,
  log: ToolLogger,
  id: string | number | null,
): { status: number; headers: Record<string, string>; body: object } {
  const { JsonRpcTransportHandler } = sdk.server();
  const wrong = wrongOf(error);
  const mapped = JsonRpcTransportHandler.mapToJSONRPCError(toA2AError(error, log));
  const isParser = (error as { statusCode?: number }).statusCode === 400 && !('validation' in (error as object));
  return {
    status: wrong === null ? 200 : (wrong.status ?? ERROR_CODES[wrong.code].httpStatus),
    headers: {
      ...(wrong?.code === 'UNAUTHORIZED' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(wrong?.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(wrong.retryAfterMs / 1000)) }),
    },
    body: { jsonrpc: '2.0', id, error: isParser ? { ...mapped, code: PARSE_ERROR } : mapped },
  };
}

/** The SDK fails on some parameters that fit no method, and would send its own exception; ours are errors of A2A. */
export function withoutFault<R extends { error?: unknown }>(answer: R): R {
  const { code, data } = (answer.error ?? {}) as { code?: number; data?: unknown };
  if (code !== INTERNAL_ERROR || data !== undefined) return answer;
  return { ...answer, error: { code: INVALID_PARAMS, message: 'The parameters do not fit the method.' } };
}

// Codes of JSON-RPC.
const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;
/** The body is no JSON. */
const PARSE_ERROR = -32700;
