import { viem } from '../../../../packs/onchain/src/viem';
import { rpcFailure } from '../../../../packs/onchain/src/rpc-failure';
import { ROUTER_ABI } from '../../../../packs/onchain/src/router';
import type { ToolError } from '../../../../src/tools/define/errors';

const ROUTER = `0x${'cc'.repeat(20)}` as const;
const REVERT = `0x${'12'.repeat(4)}`;

/** How a read of a contract fails if the node answers with this error. */
async function failureOf(error: { code: number; message: string; data?: unknown }): Promise<string> {
  const { createPublicClient, custom, RpcRequestError } = viem();
  const request = async () => {
    throw new RpcRequestError({ body: {}, error, url: 'http://node.example' });
  };
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  const call = { address: ROUTER, abi: ROUTER_ABI, functionName: 'swapped', args: [ROUTER, `0x${'00'.repeat(32)}`] } as const;
  const { detail, nothingHappened } = await client.readContract(call).then(
    () => {
      throw new Error('It was read.');
    },
    (thrown: unknown) => rpcFailure(thrown, 'http://node.example') as ToolError,
  );
  expect(nothingHappened).toBe(true);
  return `${detail.code} ${detail.reason}`;
}

describe('an error of the node', () => {
  it.each([
    { code: -32603, message: 'Internal error' },
    { code: -32603, message: 'Internal error', data: 'upstream timed out' },
    { code: -32000, message: 'header not found' },
    { code: -32000, message: 'unknown block' },
    { code: -32001, message: 'Block 0x10 not found' },
  ])('%j passes', async (error) => expect(await failureOf(error)).toBe('NETWORK_ERROR rpc_failed'));

  it.each([
    { code: 3, message: 'execution reverted', data: REVERT },
    { code: 3, message: 'header not found' },
    { code: -32603, message: 'Internal error', data: REVERT },
    { code: -32603, message: 'Internal error', data: { data: REVERT } },
    { code: -32603, message: 'VM Exception while processing transaction: revert no funds' },
  ])('%j is the word of the contract', async (error) => expect(await failureOf(error)).toBe('EXECUTION_ERROR reverted'));

  it.each([
    { code: -32601, message: 'what?' },
    { code: -32000, message: 'intrinsic gas too low' },
  ])('%j is a refusal', async (error) => expect(await failureOf(error)).toBe('EXECUTION_ERROR rpc_refused'));
});
