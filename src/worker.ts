/** Composition root: what a worker needs, put together. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from './activities';
import type { App } from './agents/define';
import { dataConverter } from './data-converter';
import type { ModelProvider } from './model/provider';
import type { Version } from './routing';
import type { Store } from './store/store';
import { activityLog } from './telemetry/activity-log';
import type { Running } from './telemetry/running';
import { ResultCache } from './tools/cache';
import type { ToolLogger } from './tools/define';
import { Registry } from './tools/registry';
import { SEARCH_ATTRIBUTES } from './workflows/contract';

export interface WorkerParts {
  app: App;
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  model: ModelProvider;
  /** For agents that name no model. */
  defaultModel: string;
  log: ToolLogger;
  /** Told what the worker is running, for whoever stops it. */
  running?: Running;
  /** The version that this worker is, for Temporal's worker versioning; absent or null: it has none. */
  deployment?: Version;
  /** Temporal's own options, for tests and tuning. */
  options?: Partial<WorkerOptions>;
}

/**
 * A Temporal worker that serves the app's agents.
 * @throws MissingSearchAttributes when the namespace lacks one of ours: a workflow would loop on it for ever
 */
export async function createWorker(parts: WorkerParts): Promise<Worker> {
  const { app, connection, namespace, taskQueue, store, model, defaultModel, log } = parts;
  await checkSearchAttributes(connection, namespace);
  const remembered = { cache: new ResultCache(), unpriced: new Set<string>() };
  const deps = { registry: new Registry(app), store, model, defaultModel, log, ...remembered };
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter,
    workflowBundle: { codePath: workflowBundlePath() },
    activities: createActivities(deps) as unknown as Record<string, (input: never) => Promise<unknown>>,
    // Progress shows, and a cancellation arrives, within this time instead of most of the heartbeat timeout.
    maxHeartbeatThrottleInterval: '200 milliseconds',
    defaultHeartbeatThrottleInterval: '200 milliseconds',
    maxEagerActivityReservationsPerWorkflowTask: 10,
    interceptors: { activity: [activityLog(log, parts.running)] },
    shutdownGraceTime: '10 seconds',
    ...versioned(parts.deployment ?? null),
    ...parts.options,
  });
}

/** Pinned: a turn ends on the version that began it, also after continue-as-new. A redeploy changes nothing of what it does. */
function versioned(deployment: Version): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === null) return {};
  const version = { deploymentName: deployment.name, buildId: deployment.buildId };
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}

/** The prebuilt workflow bundle: beside this file in the package, in dist/ when running from source. */
export function workflowBundlePath(): string {
  const candidates = [join(__dirname, 'workflow-bundle.js'), join(__dirname, '..', 'dist', 'workflow-bundle.js')];
  const found = candidates.find((path) => existsSync(path));
  if (!found) throw new Error('The workflow bundle has not been built. Run `npm run setup`.');
  return found;
}

export class MissingSearchAttributes extends Error {
  override readonly name = 'MissingSearchAttributes';
  constructor(namespace: string, missing: string[]) {
    const commands = missing.map((name) => {
      const type = SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES] === 'KEYWORD' ? 'Keyword' : 'KeywordList';
      return `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type}`;
    });
    super(`The namespace ${namespace} lacks search attributes that turns write. Create them:\n${commands.join('\n')}`);
  }
}

type Operator = Pick<NativeConnection, 'operatorService'>;

/** @throws MissingSearchAttributes */
export async function checkSearchAttributes(connection: Operator, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length > 0) throw new MissingSearchAttributes(namespace, missing);
}
