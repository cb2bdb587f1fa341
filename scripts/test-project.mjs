/**
 * `npm run test:unit`, `test:engine`, `test:system -- PART…`: runs the tests of one folder, with Jest's own output. Unit tests need
 * only the dependencies; the others set up what is missing first. `--changed`: only test files that a change affects.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest, workersOf } from './lib/jest-run.mjs';
import { runChild } from './lib/run-child.mjs';
import { setUp } from './lib/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [project, ...given] = process.argv.slice(2);

const parts = readdirSync(join(root, 'test', 'system')).filter((name) => name !== 'support');
const args = given.map((arg) => (arg === '--changed' ? '--onlyChanged' : arg));
/** Options of Jest whose value is the next argument. */
const VALUED = ['-t', '--testNamePattern', '--testTimeout', '--outputFile', '--seed', '-w', '--maxWorkers'];
const isOption = (arg, index) => arg.startsWith('-') || VALUED.includes(args[index - 1]);
const named = args.filter((arg, index) => !isOption(arg, index));
const unknown = project === 'system' ? named.filter((name) => !existsSync(join(root, 'test', 'system', name))) : [];

if (unknown.length > 0) {
  console.error(
    `test:system: there is no part ${unknown.join(', ')}. Parts: ${parts.join(', ')}; or a file, as e2e/pack.test.ts.`,
  );
  process.exitCode = 1;
} else {
  if (project !== 'unit') await setUp(root);
  const options = args.filter(isOption);
  const patterns = named.map((name) => (project === 'system' ? `test/system/${name}` : name));
  const { code } = await runChild(
    process.execPath,
    [...jest(root, project), ...patterns, ...options, '--selectProjects', project, '--maxWorkers', String(workersOf(project))],
    {
      cwd: root,
    },
  );
  process.exitCode = code;
}
