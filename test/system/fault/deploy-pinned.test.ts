/**
 * Two builds in one deployment of Temporal's worker versioning. A turn is pinned to the build that began it; what belongs
 * to no turn, a budget's book and an intent's entity, goes on under the next build.
 */
import { randomBytes } from 'node:crypto';
import { shownCard } from '../../support/card';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { BUILDS, OLD, paid, signalApproval, startBuild, startPayment, type Build, type Payment } from '../support/fault-builds';
import { openStage, type Stage, type WorkerProcess } from '../support/fault-stage';

jest.setTimeout(240_000);

/** By agent: one whose tool the second build has changed, one that both have alike. */
const budget = { name: `b-${randomBytes(4).toString('hex')}`, cap: 2 };
const ALIKE: Build = { ...OLD, sameAct: true, budget };
const FIRST = { changed: OLD, alike: ALIKE };
const SECOND = { changed: { pays: [{ version: '1.2.0', amount: 'cents', says: 'Pay at once' }] }, alike: ALIKE };

describe('two builds of one deployment', () => {
  let stage: Stage;
  /** Under the first build: one payment that waits, and one that is made. */
  let old: Payment;
  let one: Payment;

  beforeAll(async () => {
    stage = await openStage(testAddress(), BUILDS);
    const first = await release('a', FIRST);
    old = await startPayment(stage, 'changed', 'old');
    one = await startPayment(stage, 'alike', 'one');
    await one.turn.approve(one.digest, { by: 'ana' });
    await one.turn.result();
    await release('b', SECOND);
    await first.kill();
  });
  afterAll(() => stage.close());

  /** Starts a build and makes it the current one: new turns go to it. */
  async function release(buildId: string, builds: Record<string, Build>): Promise<WorkerProcess> {
    const worker = await start(buildId, builds);
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

  const start = (buildId: string, builds: Record<string, Build>) =>
    startBuild(stage, builds, { HOLDFAST_DEPLOYMENT: `pinned-${stage.taskQueue}`, HOLDFAST_BUILD_ID: buildId });

  it('the second keeps to a budget and an intent that the first began, after the first is gone for good', async () => {
    const two = await startPayment(stage, 'alike', 'two');
    const card = await shownCard(stage.client, two.turn);
    expect(card).toContain('It looks like something that was done before');
    expect(card).toContain(one.turn.id);
    await two.turn.approve(two.digest, { by: 'ana' });
    expect((await two.turn.result()).calls.at(-1)).toMatchObject({ tool: 'pay_alike', effect: 'applied' });

    const three = await startPayment(stage, 'alike', 'three');
    await three.turn.approve(three.digest, { by: 'ana' });
    const [last] = (await three.turn.result()).calls.slice(-1);
    expect(last).toMatchObject({ tool: 'pay_alike', effect: 'not_applied', error: { reason: 'budget_exhausted' } });
    expect(paid(stage, one, two, three)).toEqual({ 'pay@1.2.0 one 700 cents': 1, 'pay@1.2.0 two 700 cents': 1 });
  });

  it('the second never runs a call that waits under the first: it runs once the first is back', async () => {
    await signalApproval(stage, old, old.digest);

    const late = await startPayment(stage, 'changed', 'late');
    expect(await shownCard(stage.client, late.turn)).toContain('Pay at once 700 cents');
    await late.turn.approve(late.digest, { by: 'ana' });
    expect((await late.turn.result()).state).toBe('completed');
    expect(paid(stage, old, late)).toEqual({ 'pay@1.2.0 late 700 cents': 1 });

    await start('a', FIRST);
    expect((await old.turn.result()).calls.at(-1)).toMatchObject({ digest: old.digest, effect: 'applied' });
    expect(paid(stage, old, late)).toEqual({ 'pay@1.2.0 late 700 cents': 1, 'pay@1.2.0 old 700 cents': 1 });
    await keepForReplay(stage.client.temporal, old.turn);
  });
});
