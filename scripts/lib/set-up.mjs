/**
 * Everything that has to be there before anything runs: dependencies, dist/ with the workflow bundle,
 * a Temporal CLI. Each only when something changed; two set-ups at once take turns.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, isCompiled } from './compile.mjs';
import { install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';

/**
 * @param {string} root of the checkout
 * @param {{say?: (line: string) => void, cli?: boolean}} [options] cli: false leaves the Temporal CLI out
 * @returns {Promise<{temporalCli: string | null}>}
 */
export async function setUp(root, { say = (line) => console.error(`setup: ${line}`), cli = true } = {}) {
  if (!isInstalled(root) || !isCompiled(root)) {
    const started = Date.now();
    await withLock(
      join(root, '.holdfast', 'setup.lock'),
      (holder) => say(`waiting for another set-up (process ${holder}) …`),
      async () => {
        const installed = await install(root, say);
        const compiled = await compile(root, say);
        if (installed || compiled) say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
      },
    );
  }
  return { temporalCli: cli ? await findCli(root, say) : null };
}

async function findCli(root, say) {
  const finder = pathToFileURL(join(root, 'dist', 'devserver', 'find-cli.js')).href;
  const { findTemporalCli } = (await import(finder)).default;
  const found = await findTemporalCli({ onProgress: say });
  return found.path;
}
