/** Starts the sweeper of audit bundles (audit/archive/sweeper.ts) in the worker process: it writes a signed bundle of each ended turn with effects. */
import type { PayloadCodec } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { bundleSigner, type BundleSigner } from '../attestation/bundle-signer';
import { BundleArchive } from '../audit/archive/bundle-archive';
import { Sweeper, type SweeperParts } from '../audit/archive/sweeper';
import { bundleKeyPlaces, type Config } from '../config';
import { makeClient } from '../temporal/make-client';

/**
 * @param folder of the bundles
 * @returns a function that ends it, and resolves when the present bundle is written
 */
export function startSweep(
  folder: string,
  config: Config,
  {
    connection,
    codec,
    ...parts
  }: Pick<SweeperParts, 'store' | 'log' | 'isSuperseded'> & { connection: NativeConnection; codec: PayloadCodec | null },
): () => Promise<void> {
  const temporal = makeClient({ connection, namespace: config.temporal.namespace, codec });
  const { taskQueue } = config;
  let signer: Promise<BundleSigner> | undefined;
  const sweeper = new Sweeper({
    ...parts,
    temporal,
    taskQueue,
    archive: new BundleArchive(folder),
    receipts: config.receipts,
    signer: () =>
      (signer ??= bundleSigner(bundleKeyPlaces(config)).catch((error: unknown) => ((signer = undefined), Promise.reject(error)))),
  });
  const stopping = new AbortController();
  const sweep = sweeper.follow(stopping.signal);
  return () => {
    stopping.abort();
    return sweep;
  };
}
