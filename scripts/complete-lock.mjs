/**
 * `npm run lock`: writes a new package-lock.json, and adds entries that a registry mirror may lack.
 *
 * SWC and others ship one optional package for each platform. If a mirror has only some of them, npm writes a lock file without the
 * rest, which `npm ci` then refuses everywhere. The parent pins their versions and their names contain the platform, so the entries
 * can be added without asking a registry.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complete } from './lib/platform-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const path = join(root, 'package-lock.json');
const { status } = spawnSync('npm', ['install', '--package-lock-only', '--omit-lockfile-registry-resolved'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = complete(lock);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.error(`package-lock.json written; ${added.length} platform packages added: ${added.join(', ') || 'none was missing'}`);
