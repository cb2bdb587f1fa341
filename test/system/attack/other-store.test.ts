/** Effects are recorded in the store over which a turn began. A worker over another store, which knows nothing of them, runs nothing of the turn. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunCallInput } from '../../../src/shared/io/activities';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { eventually, withEngine, type Setup } from '../../engine/support/engine';
import { withForger } from '../../engine/support/forge';
import { recordedCalls } from '../../support/recompute-digests';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { resetBefore } from '../support/temporal-cli';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

async function twoStores(body: (own: Store, other: Store) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-stores-'));
  try {
    await body(await FileStore.open(join(folder, 'own')), await FileStore.open(join(folder, 'other')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('a worker over another store', () => {
  it(
    'does not run a recorded, signed call again, and names both stores',
    () =>
      twoStores(async (own, other) => {
        const signers = new Signers();
        const effects: unknown[] = [];
        const setup: Setup = {
          store: own,
          tools: [pays('pay', effects)],
          script: [ask(['pay', invoice]), say('done')],
          settings: { approvals: 'attested', trust: signers.trust },
          signingKey: await signers.file(signers.gateway),
          madeUp: true,
        };
        try {
          await withEngine(setup, async ({ client, start }) => {
            const turn = await start('Pay it.', { requester: 'rita' });
            const [{ digest }] = await turn.waitForPending();
            await turn.approve(digest, { attestation: await signers.signed(turn, digest, 'zoe') });
            await turn.result();
            const { input } = recordedCalls(await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory())[0]!;
            // The run in which it was approved is not the attacker's: he says that it is.
            const again: RunCallInput = { ...input, approvals: input.approvals.map((given) => ({ ...given, run_id: '' })) };
            await withEngine({ ...setup, store: other }, ({ taskQueue }) =>
              withForger(client, taskQueue, async (forge) => {
                const refused = forge('runCall', again);
                await expect(refused).rejects.toThrow(`bound to store ${own.identity.id}`);
                await expect(refused).rejects.toThrow(`uses store ${other.identity.id}`);
              }),
            );
            expect(effects).toEqual([invoice]);
          });
        } finally {
          signers.remove();
        }
      }),
    120_000,
  );

  it.each(['takeStep', 'runCall'])(
    'does nothing of a turn that was reset to before %s; over its own store the turn ends, paid once',
    (activity) =>
      twoStores(async (own, other) => {
        const effects: unknown[] = [];
        const setup: Setup = {
          store: own,
          tools: [pays('pay', effects)],
          agent: { permissions: { allow: ['pay'] } },
          script: [ask(['pay', invoice]), say('done')],
          madeUp: true,
        };
        let begun: { id: string; taskQueue: string } | undefined;
        await withEngine(setup, async ({ start, taskQueue }) => {
          const turn = await start('Pay it.', { requester: 'rita' });
          await turn.result();
          begun = { id: turn.id, taskQueue };
        });
        expect(effects).toEqual([invoice]);
        const { id, taskQueue } = begun!;
        await withEngine({ ...setup, store: other, taskQueue }, async ({ client }) => {
          const turn = client.turn(id);
          await resetBefore(client, turn, activity);
          const handle = client.temporal.workflow.getHandle(turn.workflowId);
          const failure = await eventually('it says which store', async () => {
            const { raw } = await handle.describe();
            return raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message?.includes('bound to store'));
          });
          expect(failure.lastFailure!.message).toContain(own.identity.id);
          expect(failure.lastFailure!.message).toContain(other.identity.id);
          expect(effects).toEqual([invoice]);
        });
        // What the model has said before the reset point is not asked for again.
        const script = activity === 'takeStep' ? [ask(['pay', invoice]), say('done')] : [say('done')];
        await withEngine({ ...setup, taskQueue, script }, async ({ client }) => void (await client.turn(id).result()));
        expect(effects).toEqual([invoice]);
      }),
    180_000,
  );
});
