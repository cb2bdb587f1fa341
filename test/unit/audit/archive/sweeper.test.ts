/** A sweep in which every bundle fails, over a Temporal that only lists ended turns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { Sweeper } from '../../../../src/audit/archive/sweeper';
import { FileStore } from '../../../../src/store/files/file-store';
import type { Store } from '../../../../src/store/store';
import { silent } from '../../../support/silent';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sweeper-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REGISTER = 'bundle sweep default agents';

/** @param closedAt ms since 1970 */
async function sweeperOver(
  turns: number,
  closedAt: number,
  { reason = 'this history cannot be read', isSuperseded = async () => false } = {},
) {
  const store = await FileStore.open(mkdtempSync(join(folder, 'store-')));
  const ids = [...Array(turns).keys()].map((index) => `inv-${index}`);
  const times = { startTime: new Date(closedAt - 1000), closeTime: new Date(closedAt) };
  const temporal = {
    options: { namespace: 'default' },
    workflow: {
      list: async function* () {
        for (const id of ids) yield { workflowId: `turn/${id}`, ...times };
      },
      getHandle: () => ({
        describe: async () => ({ ...times, runId: '01234567-89ab', status: { name: 'COMPLETED' } }),
        fetchHistory: async () => Promise.reject(new Error(reason)),
      }),
    },
  } as unknown as Client;
  const trail = { query: async () => ({ entries: ids.map((turn_id) => ({ turn_id })), next_cursor: null }) };
  const parts = { temporal, store: { registers: store.registers, trail } as unknown as Store, taskQueue: 'agents' };
  const key = ofKey(SigningKey.generate());
  const archive = new BundleArchive(mkdtempSync(join(folder, 'bundles-')));
  const state = async () => (await store.registers.read(REGISTER)).value as { swept_to: number; failed: object[] };
  const others = { ...parts, archive, signer: async () => key, log: silent };
  return { sweeper: new Sweeper({ ...others, isSuperseded }), other: new Sweeper(others), state };
}

describe('a sweep in which every bundle fails', () => {
  it('passes over no turn when its state cannot carry more failures', async () => {
    const { sweeper, state } = await sweeperOver(150, Date.now() - 1000);
    await expect(sweeper.sweep()).rejects.toThrow(/^111 bundles could not be made, the last one since /);
    expect(await state()).toMatchObject({ swept_to: 0, failed: [] });
  });

  it('keeps the failures that its state can carry, to try them again', async () => {
    const { sweeper, state } = await sweeperOver(20, Date.now() - 1000);
    expect((await sweeper.sweep()).failed).toHaveLength(20);
    const { swept_to, failed } = await state();
    expect(swept_to).toBeGreaterThan(Date.now() - 60_000);
    expect(failed).toHaveLength(20);
  });

  it('gives up turns that Temporal has forgotten', async () => {
    const { sweeper, state } = await sweeperOver(20, Date.now() - 32 * 86_400_000);
    expect((await sweeper.sweep()).failed).toHaveLength(20);
    expect((await state()).failed).toEqual([]);
  });
});

it('a worker of an older version leaves the sweep to one of the current version', async () => {
  let isOld = false;
  const { sweeper, other } = await sweeperOver(1, Date.now() - 1000, { isSuperseded: async () => isOld });
  expect(await sweeper.sweep()).toMatchObject({ mine: true });
  expect(await other.sweep()).toMatchObject({ mine: false });
  isOld = true;
  expect(await sweeper.sweep()).toEqual({ kept: [], failed: [], mine: false });
  expect(await other.sweep()).toMatchObject({ mine: true });
});
