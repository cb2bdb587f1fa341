/** The templates, and how a project is made of one: the files that all of them share, and its own. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A template's `about`, and what its `npm run service` does. */
export const TEMPLATES = {
  payables: { about: 'pays invoices once a person has approved', service: 'asks for a payment' },
  support: { about: 'answers customers, and asks people about large refunds', service: 'sends a customer’s message' },
  research: { about: 'reads files, and writes a brief each morning', service: 'asks for a brief' },
};

/** npm leaves these files out of a package, or reads them as its own, unless they have another name. */
const RENAMED = { gitignore: '.gitignore' };
/** What may be in the folder before. */
const IGNORED = new Set(['.git']);

/** A wrong argument. Nothing was written. */
export class UsageError extends Error {}

/** @throws UsageError for an unknown template, and for a folder that has files */
export function createProject(folder, template) {
  const names = Object.keys(TEMPLATES).join(', ');
  if (!folder) throw new UsageError('Name a folder: npm create holdfast@latest my-agent -- --template payables');
  if (template === undefined) throw new UsageError(`Name a template with --template; there are ${names}.`);
  if (!Object.hasOwn(TEMPLATES, template)) throw new UsageError(`There is no template "${template}"; there are ${names}.`);
  const target = resolve(folder);
  if (existsSync(target)) checkEmpty(target, folder);

  mkdirSync(target, { recursive: true });
  for (const source of ['shared', template]) cpSync(join(ROOT, 'templates', source), target, { recursive: true });
  for (const [from, to] of Object.entries(RENAMED)) renameSync(join(target, from), join(target, to));
  const path = join(target, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.name = packageName(target);
  manifest.dependencies.holdfast = `^${ownVersion()}`;
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

function checkEmpty(target, folder) {
  if (!statSync(target).isDirectory()) throw new UsageError(`${folder} is a file. Nothing was written.`);
  const files = readdirSync(target).filter((name) => !IGNORED.has(name));
  if (files.length > 0) throw new UsageError(`${folder} is not empty: it has ${files[0]}. Nothing was written.`);
}

/** The folder's name as npm takes it. */
function packageName(target) {
  const name = basename(target)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-');
  return name.replace(/^[._-]+|[._-]+$/g, '') || 'agent';
}

/** All packages of holdfast have one version. */
function ownVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}
