/** A JSON-RPC node that answers as a test says: it knows one router, which quotes 2 for 1 and lets every swap happen. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OnchainSettings } from '../../../../packs/onchain/src';
import { viem } from '../../../../packs/onchain/src/viem';

/** Result of a method, else an error with the data of a revert. */
type Answer = { result: unknown } | { revert: string };
export type Answers = Record<string, (params: any[]) => Answer>;

export interface MadeUpNode {
  settings: Omit<OnchainSettings, 'journal'>;
  close(): Promise<void>;
}

const ROUTER = `0x${'cc'.repeat(20)}`;
const HASH = `0x${'ab'.repeat(32)}`;
const word = (value: number) => value.toString(16).padStart(64, '0');

const SOUND: Answers = {
  eth_chainId: () => ({ result: '0x1' }),
  eth_getBlockByNumber: () => ({ result: block() }),
  eth_blockNumber: () => ({ result: '0x10' }),
  eth_gasPrice: () => ({ result: '0x1' }),
  eth_maxPriorityFeePerGas: () => ({ result: '0x1' }),
  eth_estimateGas: () => ({ result: '0x5208' }),
  eth_getBalance: () => ({ result: '0xde0b6b3a7640000' }),
  eth_getTransactionCount: () => ({ result: '0x0' }),
  // quote: amountOut, reserveIn, reserveOut; of one word: what is left of an allowance; of a swap: what it gave.
  eth_call: () => ({ result: `0x${word(2_000)}${word(1_000_000)}${word(2_000_000)}` }),
};

export async function startMadeUpNode(answers: Answers): Promise<MadeUpNode> {
  const all = { ...SOUND, ...answers };
  const server = createServer((request, response) => {
    const answer = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number;
        method: string;
        params: any[];
      };
      const made = all[method]?.(params);
      if (!made) throw new Error(`The made-up node has no answer to ${method}.`);
      const error = 'revert' in made && { code: 3, message: 'execution reverted', data: made.revert };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(error ? { error } : made) }));
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { url, chainId: 1, router: ROUTER, sessionKeys: { demo: `0x${'11'.repeat(32)}` }, waitMs: 1000 },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a contract reverts with that wants its answer looked up at addresses of its own (EIP-3668). */
export function offchainLookup(urls: string[]): string {
  const { encodeErrorResult, parseAbi } = viem();
  const abi = parseAbi(['error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)']);
  return encodeErrorResult({ abi, errorName: 'OffchainLookup', args: [ROUTER as `0x${string}`, urls, '0x', '0x12345678', '0x'] });
}

export function madeUpSwap(more: object = {}) {
  return {
    ...{ from_token: `0x${'aa'.repeat(20)}`, to_token: `0x${'bb'.repeat(20)}`, amount_in: '1000', max_slippage_bps: 50 },
    ...{ deadline_ts: Math.floor(Date.now() / 1000) + 600, session_key_id: 'demo', simulated_min_out: '1' },
    ...more,
  };
}

export function block(more: object = {}) {
  const quantities = Object.fromEntries(
    ['baseFeePerGas', 'difficulty', 'gasLimit', 'gasUsed', 'number', 'size'].map((name) => [name, '0x10']),
  );
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`;
  return { ...quantities, timestamp, hash: HASH, parentHash: HASH, transactions: [], ...more };
}
