/**
 * The SDK reads and parses the workflow bundle, hashes it and runs it in a context of its own for each worker. Here it does so once a
 * process and bundle: as in a worker that lives long, all workflows run in one context, each with modules of its own.
 */
import { statSync } from 'node:fs';
import { Worker } from '@temporalio/worker';

interface Options {
  workflowBundle?: { codePath?: string };
  debugMode?: boolean;
  activities: Map<string, unknown>;
}

interface Creator {
  destroy(): Promise<void>;
}

interface Sdk {
  getOrCreateBundle(options: Options, logger: unknown): Promise<object | undefined>;
  createWorkflowCreator(bundle: object, options: Options, logger: unknown): Promise<Creator>;
  /** Test files share the SDK. */
  holdfastShares?: boolean;
}

/** Once a process, before the first worker. */
export function shareBundles(): void {
  const sdk = Worker as unknown as Sdk;
  if (sdk.holdfastShares) return;
  sdk.holdfastShares = true;
  shareCode(sdk);
  shareContexts(sdk);
}

function shareCode(sdk: Sdk): void {
  const bundles = new Map<string, Promise<object | undefined>>();
  const make = sdk.getOrCreateBundle.bind(sdk);
  sdk.getOrCreateBundle = (options, logger) => {
    const path = options.workflowBundle?.codePath;
    if (path === undefined) return make(options, logger);
    const key = `${path} ${statSync(path).mtimeMs}`;
    const made = bundles.get(key) ?? make(options, logger);
    bundles.set(key, made);
    return made;
  };
}

/** For workers whose workflows run in this thread. All have the same activities. */
function shareContexts(sdk: Sdk): void {
  const creators = new Map<string, Promise<Creator>>();
  const numbers = new Map<object, number>();
  const make = sdk.createWorkflowCreator.bind(sdk);
  sdk.createWorkflowCreator = (bundle, options, logger) => {
    if (!options.debugMode) return make(bundle, options, logger);
    numbers.set(bundle, numbers.get(bundle) ?? numbers.size);
    const key = [numbers.get(bundle), ...[...options.activities.keys()].sort()].join();
    const made = creators.get(key) ?? make(bundle, options, logger).then(keepOpen);
    creators.set(key, made);
    return made;
  };
}

/** A worker that ends would take the context from those after it. */
function keepOpen(creator: Creator): Creator {
  creator.destroy = async () => {};
  return creator;
}
