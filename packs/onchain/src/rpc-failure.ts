/** Turns a failed read from the node into a tool error. For reads only: after a signature only the chain shows what happened. */
import { viem } from './viem';
import { isToolError, ToolError } from 'holdfast/tools';
import { revertFailure } from './revert';

/** What a node says that does not have the block yet, which another node has named. */
const BEHIND = /header not found|unknown block|block .*not found/i;

/** @param url removed from the texts of the node and the transport */
export function rpcFailure(error: unknown, url: string): Error {
  if (isToolError(error)) return error;
  const revert = find(error, viem().ContractFunctionRevertedError);
  const detail = describeNodeError(error, url);
  const status = find(error, viem().HttpRequestError)?.status;
  const code = find(error, viem().RpcRequestError)?.code;
  // -32603 is "internal error"; some nodes also report a revert so, and viem takes each for one.
  const isInternal = code === -32603 && !/^0x/.test(revert?.raw ?? '') && !/revert/i.test(detail);
  if (revert && !isInternal) return revertFailure(revert.data?.errorName ?? '', revert.data?.args ?? [], revert.reason);
  const failure = (...args: [ConstructorParameters<typeof ToolError>[0], string, string, string]) =>
    new ToolError(args[0], args[1], `${args[2]}: ${detail}`, { hint: args[3], nothingHappened: true });

  if (status === 401 || status === 403)
    return failure(
      'UNAUTHORIZED',
      'rpc_unauthorized',
      'The node did not accept our credentials',
      'An operator must correct HOLDFAST_EVM_URL.',
    );
  // -32005 is "limit exceeded" of EIP-1474.
  if (status === 429 || code === -32005)
    return failure('RATE_LIMITED', 'rpc_busy', 'The node asks to come back later', 'Nothing was sent.');
  if (isInternal || (code !== undefined && BEHIND.test(detail)))
    return failure('NETWORK_ERROR', 'rpc_failed', 'The node failed', 'Nothing was sent.');
  if (code !== undefined)
    return failure(
      'EXECUTION_ERROR',
      'rpc_refused',
      'The node refused the request',
      'Nothing was sent. Is this the right chain?',
    );
  return failure('NETWORK_ERROR', 'chain_unreachable', 'The chain cannot be reached', 'Nothing was sent.');
}

/** The node's error text, short and without the URL, which may contain a key. */
export function describeNodeError(error: unknown, url: string): string {
  const { BaseError } = viem();
  const text =
    error instanceof BaseError ? error.details || error.shortMessage : error instanceof Error ? error.message : String(error);
  return text.replaceAll(url, '[url]').slice(0, 200).toWellFormed();
}

function find<T extends Error>(error: unknown, type: abstract new (...args: never[]) => T): T | null {
  if (!(error instanceof viem().BaseError)) return null;
  return error.walk((cause) => cause instanceof type) as T | null;
}
