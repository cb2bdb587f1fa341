/** Sets up what is missing, then runs a Node program of the checkout. Its exit code becomes ours. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';
import { setUp } from './set-up.mjs';

/** @param {string[]} args for `node`; paths are relative to the checkout's root */
export async function runAfterSetUp(args) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  try {
    const { temporalCli } = await setUp(root);
    const { code } = await runChild(process.execPath, args, {
      cwd: root,
      env: { ...process.env, HOLDFAST_TEMPORAL_CLI: temporalCli },
    });
    process.exitCode = code;
  } catch (error) {
    console.error(`setup: ${error.message}`);
    process.exitCode = 1;
  }
}
