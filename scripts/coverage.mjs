/**
 * `npm run coverage`: measures how much of the rooms of scripts/lib/mutation-rooms.mjs the unit tests run, as V8 counts it, for
 * each room and file; all of the unit tests count. `-- ROOM…`: only the tests of these rooms, and only their source.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from './lib/jest-run.mjs';
import { MUTATION_ROOMS } from './lib/mutation-rooms.mjs';
import { runChild } from './lib/run-child.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(MUTATION_ROOMS, name));

if (unknown.length > 0) {
  console.error(`coverage: there is no room ${unknown.join(', ')}. Rooms: ${Object.keys(MUTATION_ROOMS).join(', ')}`);
  process.exit(2);
}
const rooms = named.length > 0 ? named.map((name) => MUTATION_ROOMS[name]) : Object.values(MUTATION_ROOMS);
const tests = named.length > 0 ? rooms.flatMap((room) => room.tests).flatMap((path) => ['--testMatch', `<rootDir>/${path}`]) : [];
const source = rooms.flatMap((room) => room.source).flatMap((path) => ['--collectCoverageFrom', path]);
const jest = [bin(root, 'jest/bin/jest.js'), '--config', 'test/jest.unit.cjs', '--silent', ...tests];
const coverage = ['--coverage', '--coverageProvider', 'v8', '--coverageReporters', 'text'];
const { code } = await runChild(
  process.execPath,
  [...jest, ...coverage, '--coverageDirectory', join(root, 'coverage'), ...source, '--maxWorkers', '1'],
  { cwd: root },
);
process.exitCode = code;
