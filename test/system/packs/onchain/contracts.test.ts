import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { COMPILER, POOL, SESSION_ROUTER, TEST_TOKEN } from '../../../../packs/onchain/src/contracts/artifacts';
import type { Address } from '../../../../packs/onchain/src/hex';
import { clientOf, openStage, rpc, swaps, UNIT, type Stage } from './support';

const ROOT = join(__dirname, '../../../..');

describe('the contracts', () => {
  let stage: Stage;
  let client: ReturnType<typeof clientOf>;
  beforeAll(async () => {
    stage = await openStage();
    client = clientOf(stage.node.rpcUrl);
  });
  afterAll(() => stage?.close());

  it('are the committed artifact: compiling the sources again gives the same file', () => {
    const script = pathToFileURL(join(ROOT, 'scripts/compile-contracts.mjs')).href;
    const print = `import(${JSON.stringify(script)}).then(async (m) => process.stdout.write(await m.compileContracts()))`;
    const text = execFileSync(process.execPath, ['-e', print], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e7 });
    expect(readFileSync(join(ROOT, 'packs/onchain/src/contracts/artifacts.ts'), 'utf8')).toBe(text);
    expect(COMPILER.version).toMatch(/^0\.8\.37/);
  });

  it('compute the amount that the formula gives, for any reserves and amounts, and never let the product of the reserves fall', async () => {
    const reserve = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n });
    await fc.assert(
      fc.asyncProperty(fc.oneof(reserve, fc.bigInt(0n, 10_000n)), reserve, reserve, async (amountIn, x, y) => {
        const args = [amountIn, x, y] as const;
        const out = await client.readContract({ address: stage.demo.pool, abi: POOL.abi, functionName: 'amountOut', args });
        expect(out).toBe((amountIn * 997n * y) / (x * 1000n + amountIn * 997n));
        expect((x + amountIn) * (y - out)).toBeGreaterThanOrEqual(x * y);
      }),
      { numRuns: 60 },
    );
  });

  it('refuse amounts that a pool cannot hold, instead of wrapping around', async () => {
    const ask = (args: readonly [bigint, bigint, bigint]) =>
      client.readContract({ address: stage.demo.pool, abi: POOL.abi, functionName: 'amountOut', args });
    await expect(ask([2n ** 112n, 1n, 1n])).rejects.toThrow('AmountTooLarge');
    await expect(ask([2n ** 256n - 1n, 1n, 1n])).rejects.toThrow('AmountTooLarge');
    await expect(ask([1n, 0n, 1n])).rejects.toThrow('PoolEmpty');
  });

  const router = { abi: SESSION_ROUTER.abi } as const;
  const write = (account: Address, functionName: any, args: any) =>
    client.simulateContract({ ...router, address: stage.demo.router, functionName, args, account } as never);

  it('let a session be opened once, closed by its owner alone, and used by its key alone', async () => {
    const { demo, node } = stage;
    const [session] = await rpc<Address[]>(node.rpcUrl, 'eth_accounts').then((all) => all.slice(5));
    const stranger = '0x000000000000000000000000000000000000dEaD';
    const later = BigInt(Math.floor(Date.now() / 1000) + 1000);
    const open = () => write(demo.owner, 'openSession', [session, later, [{ token: demo.tokens[0], allowance: 5n }]]);
    await open();
    const hash = await client.writeContract({
      ...router,
      address: demo.router,
      functionName: 'openSession',
      args: [session!, later, [{ token: demo.tokens[0], allowance: 5n }]],
      account: demo.owner,
      chain: null,
    });
    await client.waitForTransactionReceipt({ hash });
    await expect(open()).rejects.toThrow('SessionTaken');
    await expect(write(stranger, 'closeSession', [session])).rejects.toThrow('SessionUnknown');
    await write(demo.owner, 'closeSession', [session]);
    const id = `0x${'11'.repeat(32)}`;
    await expect(write(stranger, 'swap', [...demo.tokens, 1n, 1n, later, id])).rejects.toThrow('SessionUnknown');
    await expect(write(session!, 'swap', [...demo.tokens, 1n, 1n, later, id])).rejects.toThrow('TokenNotAllowed');
    await expect(write(session!, 'swap', [...demo.tokens, 6n, 1n, later, id])).rejects.toThrow('TokenNotAllowed');
  });

  it('protect the owner’s tokens: no transfer exceeds the balance or the approval', async () => {
    const { demo, node } = stage;
    const [, other] = await rpc<Address[]>(node.rpcUrl, 'eth_accounts');
    const call = (account: Address, functionName: any, args: any) =>
      client.simulateContract({ address: demo.tokens[0], abi: TEST_TOKEN.abi, functionName, args, account } as never);
    await expect(call(other!, 'transfer', [demo.owner, 1n])).rejects.toThrow('InsufficientBalance');
    await expect(call(other!, 'transferFrom', [demo.owner, other, 1n])).rejects.toThrow('InsufficientApproval');
    await call(demo.owner, 'transfer', [other, UNIT]);
  });

  it('have swapped nothing by all this', async () => {
    expect(await swaps(stage)).toEqual([]);
  });
});
