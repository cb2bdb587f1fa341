/**
 * Starts the sweeper of audit bundles (audit/kept/sweeper.ts) in the worker process, if `HOLDFAST_BUNDLES` names a folder. It writes
 * a signed bundle of each ended turn with effects.
 */
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { bundleSigner, type BundleSigner } from '../attestation/bundle-signer';
import { KeptBundles } from '../audit/kept/folder';
import { Sweeper, type SweeperParts } from '../audit/kept/sweeper';
import { bundleKeyPlaces, type Config } from '../config';
import { dataConverter } from '../temporal/data-converter';
import type { Store } from '../store/store';

/** @returns a function that ends it, and resolves when the present bundle is written. Null: no bundles are kept here */
export function sweepBeside(
  config: Config,
  parts: { connection: NativeConnection; store: Store; log: SweeperParts['log'] },
): (() => Promise<void>) | null {
  if (config.bundles === null) return null;
  const temporal = new Client({ connection: parts.connection, namespace: config.temporal.namespace, dataConverter });
  const { taskQueue } = config;
  let signer: Promise<BundleSigner> | undefined;
  const sweeper = new Sweeper({
    ...parts,
    temporal,
    taskQueue,
    kept: new KeptBundles(config.bundles),
    signer: () =>
      (signer ??= bundleSigner(bundleKeyPlaces(config)).catch((error: unknown) => ((signer = undefined), Promise.reject(error)))),
  });
  const stopping = new AbortController();
  const done = sweeper.follow(stopping.signal);
  return () => {
    stopping.abort();
    return done;
  };
}
