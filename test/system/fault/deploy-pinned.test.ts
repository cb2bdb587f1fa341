/**
 * Two builds in one deployment of Temporal's worker versioning. A turn is pinned to the build that began it; what belongs
 * to no turn, a budget's book and an intent's entity, goes on under the next build.
 */
import { randomBytes } from 'node:crypto';
import { shownCard } from '../../support/card';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { BUILDS, OLD, paid, signalApproval, startBuild, startPayment, type Build } from '../support/fault-builds';
import { openStage, type Stage, type WorkerProcess } from '../support/fault-stage';

jest.setTimeout(240_000);

describe('two builds of one deployment', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(testAddress(), BUILDS);
  });
  afterEach(() => stage.close());

  /** Starts a build and makes it the current one: new turns go to it. */
  async function release(buildId: string, build: Build): Promise<WorkerProcess> {
    const worker = await start(buildId, build);
    const { workflowService } = stage.client.temporal.connection;
    const deploymentName = `pinned-${stage.taskQueue}`;
    await eventually(`build ${buildId} is known`, () =>
      workflowService.setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName, buildId }).then(
        () => true,
        () => false,
      ),
    );
    return worker;
  }

  const start = (buildId: string, build: Build) =>
    startBuild(stage, build, { HOLDFAST_DEPLOYMENT: `pinned-${stage.taskQueue}`, HOLDFAST_BUILD_ID: buildId });

  it('a call that waits under the first is never run by the second, whatever it has changed: it runs once the first is back', async () => {
    const first = await release('a', OLD);
    const old = await startPayment(stage, 'old');
    await release('b', { pays: [{ version: '1.2.0', amount: 'cents', says: 'Pay at once' }] });
    await first.stop();
    await signalApproval(stage, old, old.digest);

    const late = await startPayment(stage, 'late');
    expect(await shownCard(stage.client, late.turn)).toContain('Pay at once 700 cents');
    await late.turn.approve(late.digest, { by: 'ana' });
    expect((await late.turn.result()).state).toBe('completed');
    expect(paid(stage)).toEqual({ 'pay@1.2.0 late 700 cents': 1 });

    await start('a', OLD);
    expect((await old.turn.result()).calls.at(-1)).toMatchObject({ digest: old.digest, effect: 'applied' });
    expect(paid(stage)).toEqual({ 'pay@1.2.0 late 700 cents': 1, 'pay@1.2.0 old 700 cents': 1 });
    await keepForReplay(stage.client.temporal, old.turn);
  });

  it('a budget and an intent that the first began are held to by the second, after the first is gone for good', async () => {
    const build: Build = { ...OLD, sameAct: true, budget: { name: `b-${randomBytes(4).toString('hex')}`, cap: 2 } };
    const first = await release('a', build);
    const one = await startPayment(stage, 'one');
    await one.turn.approve(one.digest, { by: 'ana' });
    await one.turn.result();
    await release('b', build);
    await first.kill();

    const two = await startPayment(stage, 'two');
    const card = await shownCard(stage.client, two.turn);
    expect(card).toContain('It looks like something that was done before');
    expect(card).toContain(one.turn.id);
    await two.turn.approve(two.digest, { by: 'ana' });
    expect((await two.turn.result()).calls.at(-1)).toMatchObject({ tool: 'pay', effect: 'applied' });

    const three = await startPayment(stage, 'three');
    await three.turn.approve(three.digest, { by: 'ana' });
    const [last] = (await three.turn.result()).calls.slice(-1);
    expect(last).toMatchObject({ tool: 'pay', effect: 'not_applied', error: { reason: 'budget_exhausted' } });
    expect(paid(stage)).toEqual({ 'pay@1.2.0 one 700 cents': 1, 'pay@1.2.0 two 700 cents': 1 });
  });
});
