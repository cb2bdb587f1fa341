/** Formats generated source as `npm run format` would. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from './jest-run.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string} path of the file to be written, below the project's root */
export function formatted(path, source) {
  const options = { cwd: root, input: source, encoding: 'utf8' };
  return execFileSync(process.execPath, [bin(root, 'oxfmt/bin/oxfmt'), '--stdin-filepath', path], options);
}
