import { examineWorkers } from '../../../src/cli/support/examine-workers';
import { isCurrent, makeCurrent, routingOf, withoutNewTurns, type Version } from '../../../src/temporal/worker-versions';

const A = { name: 'prod', buildId: 'a' };
const B = { name: 'prod', buildId: 'b' };

interface Queue {
  current?: Version;
  ramp?: { to: Version; share: number };
  /** Version of a poller, and how many seconds ago it asked. */
  polls?: [Version, number][];
}

/** A server with this answer for every task queue. */
function server({ current = null, ramp, polls = [] }: Queue) {
  const wire = (version: Version) => version && { deploymentName: version.name, buildId: version.buildId };
  const describeTaskQueue = async () => ({
    versioningInfo: {
      currentDeploymentVersion: wire(current),
      rampingDeploymentVersion: ramp && wire(ramp.to),
      rampingVersionPercentage: ramp?.share ?? 0,
    },
    pollers: polls.map(([version, ago]) => ({
      lastAccessTime: { seconds: Math.floor(Date.now() / 1000) - ago },
      // A worker that does not use versioning may name a build all the same.
      deploymentOptions: { ...wire(version ?? B), workerVersioningMode: version === null ? 1 : 2 },
    })),
  });
  return { workflowService: { describeTaskQueue } } as never;
}

const routing = (queue: Queue) => routingOf(server(queue), 'default', 'q');

describe('the message of a worker at its start', () => {
  it.each([
    ['nobody uses versions', null, {}],
    ['its version is current', A, { current: A }],
    ['its version is ramping', B, { current: A, ramp: { to: B, share: 5 } }],
    ['it has no version, and a ramp leads to such workers', null, { current: A, ramp: { to: null, share: 5 } }],
  ])('is empty if %s', async (_case, own, queue) => {
    expect(withoutNewTurns(own, await routing(queue), 'default')).toBeNull();
  });

  it.each([
    ['no version is current', A, {}, /^No version is current/],
    ['another build is current', B, { current: A }, /^New turns go to prod:a: this worker \(prod:b\)/],
    ['another deployment is', A, { current: { name: 'test', buildId: 'a' } }, /^New turns go to test:a/],
    ['a ramp has reached everybody', A, { current: A, ramp: { to: B, share: 100 } }, /^New turns go to prod:b/],
    ['a ramp has begun at nothing', B, { current: A, ramp: { to: B, share: 0 } }, /^New turns go to prod:a/],
    ['it has no version and one is current', null, { current: A }, /^New turns go to prod:a: this worker has no version/],
  ])('says that it takes no new turns if %s', async (_case, own, queue, notice) => {
    expect(withoutNewTurns(own, await routing(queue), 'default')!.notice).toMatch(notice);
  });

  it('has a command whose names are quoted for a shell if necessary', () => {
    expect(makeCurrent('default', { name: 'prod', buildId: '1.4+9@x/y' })).toBe(
      'temporal worker deployment set-current-version --namespace default --deployment-name prod --build-id 1.4+9@x/y',
    );
    const hostile = makeCurrent('a b', { name: "x'; rm -rf ~", buildId: '$(id)\u001b[2J' });
    expect(hostile).toMatch(/--namespace 'a b' --deployment-name 'x'\\''; rm -rf ~' --build-id '\$\(id\)⟨U\+001B⟩\[2J'$/);
  });
});

it.each([
  ['a version that is current', A, { current: A }, true],
  ['another one', B, { current: A }, false],
  ['a version while none is current', A, {}, false],
  ['one from which a ramp leads', A, { current: A, ramp: { to: B, share: 60 } }, true],
  ['one to which a ramp leads', B, { current: A, ramp: { to: B, share: 60 } }, false],
  ['one to which a ramp leads everybody', B, { current: A, ramp: { to: B, share: 100 } }, true],
])('of %s, one alone is the current one', async (_case, own, queue, expected) => {
  expect(isCurrent(own, await routing(queue))).toBe(expected);
});

describe('the report of doctor on the workers', () => {
  const examined = (queue: Queue) => examineWorkers(server(queue), 'default', 'q');

  it.each<[Queue, string]>([
    [{ polls: [[null, 1]] }, '1 polls q'],
    [
      {
        polls: [
          [null, 1],
          [null, 70],
        ],
      },
      '2 poll q',
    ],
    [
      {
        current: B,
        polls: [
          [A, 1],
          [B, 1],
          [B, 2],
        ],
      },
      '3 poll q: prod:a, prod:b (new turns)',
    ],
    [
      {
        polls: [
          [A, 1],
          [null, 1],
        ],
      },
      '2 poll q: prod:a, workers without a version (new turns)',
    ],
  ])('%j: a turn can run', async (queue, detail) => {
    expect(await examined(queue)).toBe(detail);
  });

  it.each<[Queue, RegExp]>([
    [{}, /^no worker polls the task queue q: start `holdfast worker`/],
    [
      {
        current: A,
        polls: [
          [A, 80],
          [A, 300],
        ],
      },
      /^no worker polls the task queue q \(the last one was seen 8\d s ago\)/,
    ],
    [{ polls: [[A, 1]] }, /^no version is current.*only prod:a polls q: .*set-current-version .* --build-id a$/],
    [
      {
        current: A,
        polls: [
          [A, 80],
          [B, 1],
        ],
      },
      /^new turns wait for prod:a, and only prod:b polls q: .* --build-id b$/,
    ],
    [
      { current: A, polls: [[null, 1]] },
      /^new turns wait for prod:a, and only workers without a version poll q: start a worker of it$/,
    ],
    [{ current: A, ramp: { to: B, share: 5 }, polls: [[A, 1]] }, /^new turns wait for prod:b, and only prod:a polls q/],
  ])('%j: a turn would wait', async (queue, message) => {
    await expect(examined(queue)).rejects.toThrow(message);
  });
});
