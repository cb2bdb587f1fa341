/** Somebody who may start workflows in Temporal makes a turn up, and names in it what belongs to another tenant's turn. */
import type { Connection } from '@temporalio/client';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { verifyBundle } from '../../../src/audit/verify';
import { HoldfastClient } from '../../../src/client';
import { keyword } from '../../../src/shared/search-attributes';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { withEngine } from '../support/engine';
import { answersOf, contextOf } from '../support/made-up';
import { invoice } from '../support/scene';

async function startMadeUp(client: HoldfastClient, input: { turn_id: string; activities: object[] } & object): Promise<void> {
  const { NativeConnection, Worker } = await import('@temporalio/worker');
  const { address } = (client.temporal.connection as Connection).options;
  const connection = await NativeConnection.connect({ address });
  const taskQueue = 'made-up-turns';
  const answer = async (_: unknown, answered: unknown) => answered;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: require.resolve('../support/made-up-turn'),
    activities: { takeStep: answer, runCall: answer },
    debugMode: true,
    buildId: 'made-up',
  });
  const typedSearchAttributes = [keyword('requester', 'evil/eve'), keyword('agent', 'tester'), keyword('state', 'running')];
  const started = { taskQueue, workflowId: `turn/${input.turn_id}`, args: [input], typedSearchAttributes };
  await worker.runUntil(client.temporal.workflow.execute('turn', started)).finally(() => connection.close());
}

it('a bundle of a made-up turn has no block, part or effect of the turn that it names, and says so', async () => {
  const run = () => ({ paid: true, reference: 'SECRET-REFERENCE' });
  const script = [ask(['pay', invoice]), say('SECRET-ANSWER')];
  await withEngine({ tools: [pays('pay', [], { run })], script }, async ({ client, start, store }) => {
    const turn = await start('SECRET-MESSAGE', { requester: 'acme/rita' });
    const [waiting] = await turn.waitForPending();
    await turn.approve(waiting.digest, { by: 'acme/bob' });
    const { head, calls } = await turn.result();
    const [{ result_ref, digest, id }] = calls as [(typeof calls)[number]];
    const card_ref = (await answersOf(client, turn)).find((answer) => answer?.card_ref)?.card_ref as string;

    const context = await contextOf(turn, { requester: 'acme/rita' });
    const call = { id, digest, class: 'destructive' };
    const activities = [
      { name: 'takeStep', input: { card_ref }, answer: { head } },
      { name: 'runCall', input: { turn: context, call }, answer: { result_ref, head } },
    ];
    const input = { agent: 'tester', requester: 'evil/eve' };
    await startMadeUp(client, { ...input, turn_id: 'evil', activities });
    await startMadeUp(client, { ...input, turn_id: 'evil-step', activities: activities.slice(0, 1) });

    const auditor = new HoldfastClient(client.temporal, {
      ...{ taskQueue: 'none', uiUrl: null, store, bundleSigner: async () => ofKey(BUNDLE_KEY) },
    });
    const bundleOf = async (id: string) => {
      let text = '';
      for await (const line of auditor.bundle({ turn: id }, { chained: false })) text += line;
      return text;
    };
    const own = await bundleOf(turn.id);
    const madeUp = await bundleOf('evil');
    for (const secret of ['SECRET-REFERENCE', 'SECRET-ANSWER', 'SECRET-MESSAGE', invoice.invoice]) {
      expect(own).toContain(secret);
      expect(madeUp).not.toContain(secret);
    }
    expect(own).toContain('"complete":true');
    const end = madeUp.split('\n').find((line) => line.includes('"kind":"turn_end"'))!;
    for (const what of [`block ${head}`, `part ${result_ref}`, `part ${card_ref}`, 'a call of another turn'])
      expect(end).toContain(what);
    // It says that it ends with a block of another turn, and no turn of the engine does.
    const step = Buffer.from(await bundleOf('evil-step'));
    expect(await verifyBundle([step], TRUST)).toMatchObject({ verdict: 'contradictory', rule: 'T1' });
  });
});
