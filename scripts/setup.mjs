/**
 * `npm run setup`: sets up the checkout (lib/set-up.mjs). `npm run setup -- --check` changes nothing and prints what is present.
 * Uses only Node's own modules until the dependencies are installed.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSetUp, setUp } from './lib/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help)
    console.log(
      'npm run setup             installs and builds what is missing\nnpm run setup -- --check  says what is there; exit code 1 when something is missing',
    );
  else if (values.check) await check();
  else {
    const { temporalCli } = await setUp(root);
    console.error(`setup: ready (Temporal CLI: ${temporalCli})`);
    for (const { what, there, how, optional } of await checkSetUp(root))
      if (optional && !there) console.error(`setup: ${what}: ${how}`);
  }
} catch (error) {
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}

async function check() {
  const parts = await checkSetUp(root);
  for (const { what, there, how, optional } of parts)
    console.log(`${there ? '✓' : optional ? '–' : '✗'} ${what.padEnd(14)} ${how}`);
  if (parts.every(({ there, optional }) => there || optional)) return;
  console.log('npm run setup makes what is missing.');
  process.exitCode = 1;
}
