/**
 * Two versions of the workers, as real processes, in one deployment: a turn stays on the version that it began on,
 * new turns go to the current one. The test types the command that the worker tells a person to type.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { examinePinnedTurns } from '../../../src/cli/support/examine-workers';
import { environment, run } from '../cli/support/cli';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { approve, memoWaits, openStage, recorded, type Stage, type WorkerProcess } from '../support/fault-stage';

const execute = promisify(execFile);

describe('two versions of the workers', () => {
  let stage: Stage;
  let deployment: string;
  let b: WorkerProcess;
  beforeAll(async () => {
    stage = await openStage(testAddress());
    deployment = `versions-${stage.taskQueue}`;
  });
  afterAll(() => stage.close());

  const startVersion = (build: string) =>
    stage.startWorker(undefined, {
      HOLDFAST_DEPLOYMENT: deployment,
      HOLDFAST_BUILD_ID: build,
      HOLDFAST_LOG_LEVEL: 'info',
    });

  /** The worker's notice at its start, and the command in it. */
  async function noticeOf(worker: WorkerProcess): Promise<{ notice: string; command: string }> {
    const { notice, todo } = await eventually('the notice', async () => worker.lastEvent('no new turns'));
    expect(worker.output).toContain(`${String(notice)} ${String(todo)}\n`);
    return { notice: String(notice), command: /temporal worker deployment set-current-version .+$/.exec(String(todo))![0] };
  }

  async function type(command: string): Promise<void> {
    const { path } = await findTemporalCli();
    const environment = { ...process.env, TEMPORAL_ADDRESS: testAddress() };
    await execute('sh', ['-c', `"$CLI" ${command.replace(/^temporal /, '')} --yes`], { env: { ...environment, CLI: path } });
  }

  const doctor = () =>
    run(
      ['doctor'],
      environment({ HOLDFAST_HOME: stage.home, HOLDFAST_TASK_QUEUE: stage.taskQueue, TEMPORAL_ADDRESS: testAddress() }),
    );

  it('a turn that waits on A while B becomes current ends on A, and a new turn runs on B', async () => {
    const a = await startVersion('a');
    const first = await noticeOf(a);
    expect(first.notice).toBe(
      `No version is current: new turns wait for workers without a version, and this one (${deployment}:a) takes none.`,
    );
    const early = await stage.begin();
    const none = await doctor();
    expect(none.code).toBe(1);
    expect(none.stdout).toMatch(/✗ worker .*no version is current.*only \S+:a polls/);
    expect(none.stdout).toContain(first.command);
    expect((await recorded(stage)).pids).toEqual(new Set());

    await type(first.command);
    const digest = await memoWaits(stage);
    b = await startVersion('b');
    const second = await noticeOf(b);
    expect(second.notice).toContain(`New turns go to ${deployment}:a`);
    await type(second.command);
    const both = await doctor();
    expect(both).toMatchObject({ code: 0 });
    expect(both.stdout).toMatch(new RegExp(`✓ worker .*${deployment}:b \\(new turns\\)`));
    expect(both.stdout).toMatch(new RegExp(`✓ worker .*${deployment}:a(,|\\n)`));
    expect(both.stdout).not.toContain('older turns');
    expect(await statuses(stage, deployment)).toEqual({ a: 'DRAINING', b: 'CURRENT' });

    const late = await stage.begin();
    await late.waitForPending();
    expect((await recorded(stage)).pids).toEqual(new Set([b.pid]));

    stage.turn = early;
    await approve(stage, digest);
    expect(await early.result()).toMatchObject({ state: 'completed', text: 'Done.' });
    expect((await recorded(stage)).pids).toEqual(new Set([a.pid]));
    expect(stage.post.mails).toHaveLength(1);
    await keepForReplay(stage.client.temporal, early);
    await late.cancel();
    await late.result();
  });

  it('doctor counts the turns whose version nobody polls for any more', async () => {
    const turn = await stage.begin();
    await turn.waitForPending();
    const { connection } = stage.client.temporal;
    expect(await examinePinnedTurns(connection, 'default', stage.taskQueue)).toBeNull();

    // The server lists a dead worker for minutes. Only the time of its last poll is made up here.
    const { workflowService } = connection;
    const later = Object.create(workflowService, {
      describeTaskQueue: {
        value: async (request: Parameters<typeof workflowService.describeTaskQueue>[0]) => {
          const queue = await workflowService.describeTaskQueue(request as never);
          for (const poller of queue.pollers) poller.lastAccessTime = { seconds: 1 as never };
          return queue;
        },
      },
    }) as typeof workflowService;
    // The list is late: it may still contain turns that have ended.
    await eventually('the turn alone is listed', async () => {
      const found = await examinePinnedTurns({ workflowService: later }, 'default', stage.taskQueue);
      return found !== null && /^1 turn blocked: pinned to a version of which no worker polls/.test(found);
    });
    await turn.cancel();
    await turn.result();
  });

  it('a worker without a version says that it takes no new turns while a version is current', async () => {
    const plain = await stage.startWorker(undefined, { HOLDFAST_LOG_LEVEL: 'info' });
    const { notice, command } = await noticeOf(plain);
    expect(notice).toBe(`New turns go to ${deployment}:b: this worker has no version, and takes none.`);
    await b.stop();
    await type(command);
    const turn = await stage.begin();
    await turn.waitForPending();
    expect((await recorded(stage)).pids).toEqual(new Set([plain.pid]));
    await turn.cancel();
  });
});

/** Build id to status, as `temporal worker deployment describe` shows them. */
async function statuses({ client }: Stage, deploymentName: string): Promise<Record<string, string>> {
  const { workflowService } = client.temporal.connection;
  const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment({ namespace: 'default', deploymentName });
  const names: Record<number, string> = { 1: 'INACTIVE', 2: 'CURRENT', 3: 'RAMPING', 4: 'DRAINING', 5: 'DRAINED' };
  const versions = workerDeploymentInfo?.versionSummaries ?? [];
  return Object.fromEntries(versions.map(({ deploymentVersion, status }) => [deploymentVersion?.buildId, names[status ?? 0]]));
}
