/**
 * An attacker who reaches Temporal's gRPC port reads the signed decisions of a run that was reset, and has an activity of the next
 * run use them. Each test is named after what it prevents.
 */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger } from '../support/forge';
import { invoice, scene } from '../support/scene';
import { resetTurn } from '../support/reset';
import { ask, say } from '../../support/scripted-model';

const PATIENCE = 240_000;
const other = { invoice: 'INV-8', cents: 1 };
const script = [ask(['pay', invoice], ['pay', other]), say('done'), say('done')];

/** To a point before any call was admitted with a card. @returns the new run */
const resetBeforeQuestion = (client: HoldfastClient, turn: TurnHandle) => resetTurn(client, turn, { before: 'admitCall' });

describe('approvals from before a reset', () => {
  it(
    'do not undo a denial after the reset, even in the name of the run that took the denial',
    () =>
      scene('attested', { madeUp: true, agent: { approvals: { quorum: 2 } }, script }, async (at) => {
        const { client, taskQueue, turn, by, effects } = at;
        const waiting = await eventually('the first call waits', async () =>
          (await turn.pending()).find(({ id }) => id === '1.1'),
        );
        const { digest, tool } = waiting;
        const call = await waitingArguments(client, turn, digest);
        const [ana, carl] = await Promise.all([by('ana', { digest }), by('carl', { digest })]);
        await turn.approve(digest, ana);

        const run = await resetBeforeQuestion(client, turn);
        const anew = await eventually('both are asked about anew', async () => {
          const pending = await turn.pending();
          return pending.length === 2 && pending.every((one) => one.digest !== digest) && pending;
        });
        const { digest: second } = anew.find(({ id }) => id === '1.1')!;
        await turn.deny(second, await by('bob', { decision: 'deny', digest: second }));

        await withForger(client, taskQueue, async (forge) => {
          const input = await runInput(turn, call, []);
          for (const { attestation } of [ana, carl]) {
            const said = { decision: 'approve' as const, outcome: null, input_hash: null, at: new Date().toISOString() };
            await forge('checkDecision', { turn: input.turn, digest, tool, attestation: attestation as string, ...said }, run);
          }
          const approvals = [approvalOf(waiting, 'ana', ana), approvalOf(waiting, 'carl', carl)];
          expect(await forge('runCall', { ...input, approvals }, run)).toMatchObject({ state: 'failed' });
          expect(effects).toEqual([]);
        });
      }),
    PATIENCE,
  );
});
