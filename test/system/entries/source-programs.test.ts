/** A checkout in which nothing has been built: `src/worker.ts` and `src/client.ts` are programs there. */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAddress } from '../../engine/support/engine';
import { program } from '../support/process';

const ROOT = join(__dirname, '../../..');

it('npx tsx runs a worker, and a turn with its result', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-source-'));
  const checkout = join(folder, 'checkout');
  for (const name of ['src', 'data', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const settings = { TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: `source-${randomBytes(6).toString('hex')}` };
  const tsx = (...args: string[]) =>
    program(join(folder, 'home'), join(checkout, 'node_modules/.bin/tsx'), args, settings, checkout);
  const worker = tsx('src/worker.ts');
  try {
    await worker.printed(/worker \d+: .*credit-analyst/);
    const client = tsx('src/client.ts', "Prepare a credit memo on AAPL, but don't send anything");
    expect([await client.ended, client.output()]).toEqual([0, expect.stringContaining('AAPL')]);
    expect(client.stdout()).toMatch(/completed/);
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  } finally {
    await worker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
