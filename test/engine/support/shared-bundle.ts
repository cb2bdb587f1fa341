/** The SDK reads and parses the workflow bundle and its source map, 2.7 MB, for each worker. Here it does so once a process and bundle. */
import { statSync } from 'node:fs';
import { Worker } from '@temporalio/worker';

interface Bundling {
  getOrCreateBundle(options: { workflowBundle?: { codePath?: string } }, logger: unknown): Promise<unknown>;
  /** Test files share the SDK. */
  holdfastBundles?: Map<string, Promise<unknown>>;
}

/** Once a process, before the first worker. */
export function shareBundles(): void {
  const sdk = Worker as unknown as Bundling;
  if (sdk.holdfastBundles) return;
  const bundles = (sdk.holdfastBundles = new Map());
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
