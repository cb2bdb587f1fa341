/**
 * Once before all tests: dist/ (the tests use the workflow bundle in it) and one Temporal dev server,
 * whose address is in HOLDFAST_TEST_ADDRESS. If that names a server already, it is used instead. Time-skipping servers start
 * when tests need them; their jars are found or made here.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { jarsFolder, makeJars, whyNoTimeServer } from '../../../scripts/time-server/jars.cjs';
import { cacheFolder } from '../../../src/devserver/cli-cache';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { onPath } from '../../../src/devserver/on-path';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';

/** A workflow is deleted once the queues have noted its end, which they do every 30 or 60 s otherwise. */
const FORGETS_SOON = {
  'history.transferProcessorUpdateAckInterval': '1s',
  'history.visibilityProcessorUpdateAckInterval': '1s',
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

export default async function globalSetup(): Promise<void> {
  const build = spawnSync(process.execPath, [join(__dirname, '../../../scripts/build.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (build.status !== 0) console.error(`The build failed: tests go on with the older bundle ${workflowBundlePath()}.`);
  await findTimeServer();
  if (process.env.HOLDFAST_TEST_ADDRESS) return;
  process.env.GOGC ??= '800'; // a quarter of the work of its garbage collector, for 600 MB
  const { path } = await findTemporalCli({ onProgress: (line) => console.error(line) });
  const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig: FORGETS_SOON });
  process.env.HOLDFAST_TEST_ADDRESS = server.address;
  (globalThis as { holdfastTestServer?: DevServer }).holdfastTestServer = server;
}

/** Its jars, for the tests that skip time (time-server.ts). */
async function findTimeServer(): Promise<void> {
  const cache = cacheFolder(process.env);
  try {
    const why = whyNoTimeServer(cache, (name) => onPath(name, process.env));
    if (why !== null) throw new Error(why);
    await makeJars(cache, (line) => console.error(`setup: ${line}`));
    process.env.HOLDFAST_TEST_TIME_SERVER_JARS = jarsFolder(cache);
  } catch (error) {
    const { message } = error as Error;
    if (process.env.HOLDFAST_REQUIRE_TIME_SERVER === '1') throw new Error(`HOLDFAST_REQUIRE_TIME_SERVER=1, and ${message}`);
    console.error(
      `Tests that skip time wait for short times instead: ${message}. HOLDFAST_REQUIRE_TIME_SERVER=1 makes this a failure.`,
    );
  }
}
