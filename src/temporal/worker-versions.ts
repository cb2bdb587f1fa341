/**
 * Worker versioning: which workers get a task queue's new turns, and which ones poll it for work.
 *
 * A turn is pinned to the version that began it (worker.ts). Temporal gives new turns only to the version that a person made the
 * current one: without one they wait silently. So worker and `doctor` check this, and report it.
 */
import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { shellWord, visible } from '../shared/text/visible';

/** A version of the workers; null stands for the workers that have none. */
export type Version = { name: string; buildId: string } | null;

export interface Routing {
  /** Versions that get new turns: the current one; while a ramp is on, the ramping one too. */
  takers: Version[];
  /** Versions that polled in the last minutes. */
  polls: { version: Version; secondsAgo: number }[];
}

const { WORKER_VERSIONING_MODE_VERSIONED } = temporal.api.enums.v1.WorkerVersioningMode;
const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

export async function routingOf(
  { workflowService }: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
  taskQueue: string,
): Promise<Routing> {
  const { versioningInfo, pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  const share = versioningInfo?.rampingVersionPercentage ?? 0;
  return {
    takers: [
      ...(share < 100 ? [versionOf(versioningInfo?.currentDeploymentVersion)] : []),
      ...(share > 0 ? [versionOf(versioningInfo?.rampingDeploymentVersion)] : []),
    ],
    polls: (pollers ?? []).map(({ deploymentOptions, lastAccessTime }) => ({
      version: deploymentOptions?.workerVersioningMode === WORKER_VERSIONING_MODE_VERSIONED ? versionOf(deploymentOptions) : null,
      secondsAgo: Date.now() / 1000 - Number(lastAccessTime?.seconds ?? 0),
    })),
  };
}

/**
 * The notice for a worker that gets no new turns, and what to do.
 * @returns null for one that gets some
 */
export function withoutNewTurns(own: Version, { takers }: Routing, namespace: string): { notice: string; todo: string } | null {
  if (takers.some((taker) => sameVersion(taker, own))) return null;
  const [taker] = takers as [Version];
  if (own === null) {
    return {
      notice: `New turns go to ${label(taker)}: this worker has no version, and takes none.`,
      todo: `Set HOLDFAST_DEPLOYMENT and HOLDFAST_BUILD_ID, or give new turns to workers without a version: ${command(namespace, taker!.name)} --unversioned`,
    };
  }
  return {
    notice:
      taker === null
        ? `No version is current: new turns wait for workers without a version, and this one (${label(own)}) takes none.`
        : `New turns go to ${label(taker)}: this worker (${label(own)}) takes only turns that its version began.`,
    todo: `Make its version the current one: ${makeCurrent(namespace, own)}`,
  };
}

/** Whether this is the current version, which is always one alone: while a ramp is on, the version from which it leads. */
export function isCurrent(own: Version, { takers }: Routing): boolean {
  return sameVersion(takers[0] ?? null, own);
}

/** Whether a version is the current one, and this is not it. */
export function isSuperseded(own: Version, { takers }: Routing): boolean {
  const current = takers[0] ?? null;
  return current !== null && !sameVersion(current, own);
}

export function sameVersion(one: Version, other: Version): boolean {
  return one?.name === other?.name && one?.buildId === other?.buildId;
}

/** `deployment:build`, as Temporal writes it. */
export function label(version: Version): string {
  return version === null ? 'workers without a version' : visible(`${version.name}:${version.buildId}`);
}

/** The command that gives new turns to this version. */
export function makeCurrent(namespace: string, version: NonNullable<Version>): string {
  return `${command(namespace, version.name)} --build-id ${shellWord(version.buildId)}`;
}

function command(namespace: string, deployment: string): string {
  return `temporal worker deployment set-current-version --namespace ${shellWord(namespace)} --deployment-name ${shellWord(deployment)}`;
}

function versionOf(version: { deploymentName?: string | null; buildId?: string | null } | null | undefined): Version {
  return version?.deploymentName ? { name: version.deploymentName, buildId: version.buildId ?? '' } : null;
}
