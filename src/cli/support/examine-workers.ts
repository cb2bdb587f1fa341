/** Checks of `doctor` about workers: whether one would take a new turn, and whether older turns have no worker. */
import type { Connection } from '@temporalio/client';
import { label, makeCurrent, routingOf, sameVersion, type Routing, type Version } from '../../temporal/worker-versions';
import { visibilityText } from '../../shared/text/visible';
import { TURNS_AND_CALLS } from '../../workflows/contract';

/** The server lists a worker for minutes after its death; a live one asks at least once a minute. */
const POLLS_WITHIN_S = 75;

type Services = Pick<Connection, 'workflowService'>;

/** @throws Error that says what is missing and what to do, when no worker would take a new turn */
export async function examineWorkers(connection: Services, namespace: string, taskQueue: string): Promise<string> {
  const { takers, polls } = await routingOf(connection, namespace, taskQueue);
  const alive = living(polls);
  if (alive.length === 0) {
    const ages = polls.map(({ secondsAgo }) => secondsAgo);
    const last = ages.length > 0 ? ` (the last one was seen ${Math.round(Math.min(...ages))} s ago)` : '';
    throw new Error(`no worker polls the task queue ${taskQueue}${last}: start \`holdfast worker\` or \`holdfast dev\``);
  }
  const versions = distinct(alive);
  const lacking = takers.find((taker) => !versions.some((version) => sameVersion(version, taker)));
  if (lacking !== undefined) {
    const commands = versions.filter((version) => version !== null).map((version) => makeCurrent(namespace, version));
    const instead = commands.length > 0 ? `, or make current what polls: ${commands.join(' or ')}` : '';
    throw new Error(
      `${lacking === null ? 'no version is current, so ' : ''}new turns wait for ${label(lacking)}, and only ${versions.map(label).join(', ')} ${versions.length === 1 && versions[0] !== null ? 'polls' : 'poll'} ${taskQueue}: start ${lacking === null ? 'one' : 'a worker of it'}${instead}`,
    );
  }
  const count = `${alive.length} poll${alive.length === 1 ? 's' : ''} ${taskQueue}`;
  const takes = (version: Version) => (takers.some((taker) => sameVersion(taker, version)) ? ' (new turns)' : '');
  return hasNoVersions(versions)
    ? count
    : `${count}: ${versions.map((version) => `${label(version)}${takes(version)}`).join(', ')}`;
}

/** Counts turns that are pinned to a version without a worker, which nothing else reports. @returns null when there are none */
export async function examinePinnedTurns(connection: Services, namespace: string, taskQueue: string): Promise<string | null> {
  const { takers, polls } = await routingOf(connection, namespace, taskQueue);
  if (hasNoVersions([...takers, ...polls.map(({ version }) => version)])) return null;
  const versions = distinct(living(polls)).filter((version) => version !== null);
  const query = [
    `${TURNS_AND_CALLS} AND ExecutionStatus = 'Running' AND TaskQueue = ${visibilityText(taskQueue)}`,
    `TemporalWorkflowVersioningBehavior = 'Pinned'`,
    ...versions.map(({ name, buildId }) => `TemporalWorkerDeploymentVersion != ${visibilityText(`${name}:${buildId}`)}`),
  ].join(' AND ');
  const count = Number((await connection.workflowService.countWorkflowExecutions({ namespace, query })).count ?? 0);
  if (count === 0) return null;
  return `${count} turn${count === 1 ? '' : 's'} blocked: pinned to a version of which no worker polls ${taskQueue}. Start a worker of that version. Query for the list: ${query}`;
}

function living(polls: Routing['polls']): Version[] {
  return polls.filter(({ secondsAgo }) => secondsAgo < POLLS_WITHIN_S).map(({ version }) => version);
}

function distinct(versions: Version[]): Version[] {
  return versions.filter((version, index) => versions.findIndex((other) => sameVersion(other, version)) === index);
}

function hasNoVersions(versions: Version[]): boolean {
  return versions.every((version) => version === null);
}
