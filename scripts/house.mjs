/**
 * `node scripts/house.mjs [--json]`: prints figures of the code base, from its files alone: the number and length of files, folders
 * and rooms with too many files, and files that import each other in a circle. Type imports count; dynamic imports do not.
 */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SRC = join(ROOT, 'src');
/** Not the engine: tooling for authors, auditors and the command line. */
const NOT_ENGINE = /^(devserver|http-client|testing|cli|audit|model\/rehearsal|tools\/(cards|convert|lint|migrate))\b/;
const MAX_FILES_PER_FOLDER = 15;
const MAX_FILES_PER_ROOM = 45;
const SMALL = 40;

const files = filesIn(SRC).map((path) => {
  const text = readFileSync(path, 'utf8');
  return { path: relative(SRC, path), lines: text.split('\n').length - 1, imports: importsOf(path, text) };
});

const engine = files.filter(({ path }) => !NOT_ENGINE.test(path));
const lengths = engine.map(({ lines }) => lines).sort((a, b) => a - b);
const importers = new Map();
for (const { imports } of files) for (const name of imports) importers.set(name, (importers.get(name) ?? 0) + 1);

const figures = {
  files: files.length,
  engine_files: engine.length,
  engine_lines: lengths.reduce((sum, lines) => sum + lines, 0),
  median_lines: lengths[Math.floor(lengths.length / 2)],
  lines_of_95_percent: lengths[Math.floor(lengths.length * 0.95)],
  small_files_imported_once: engine.filter(({ path, lines }) => lines <= SMALL && importers.get(path) === 1).length,
  full_folders: counted(engine, ({ path }) => dirname(path)).filter(([, count]) => count > MAX_FILES_PER_FOLDER),
  full_rooms: counted(engine, ({ path }) => path.split('/')[0]).filter(([, count]) => count > MAX_FILES_PER_ROOM),
  circles: circles(),
};

if (process.argv.includes('--json')) console.log(JSON.stringify(figures));
else {
  for (const [name, value] of Object.entries(figures)) {
    if (!Array.isArray(value)) console.log(`${name.replaceAll('_', ' ')}: ${value}`);
    else if (name === 'circles') for (const circle of value) console.log(`circle of ${circle.length}: ${circle.join(', ')}`);
    else
      console.log(`${name.replaceAll('_', ' ')}: ${value.map(([folder, count]) => `${folder} ${count}`).join(', ') || 'none'}`);
  }
  if (figures.circles.length === 0) console.log('circles: none');
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}

function importsOf(path, text) {
  const names = [...text.matchAll(/^(?:import|export|\})[^'\n]*? from '(\.{1,2}\/[^']+)'|^import '(\.{1,2}\/[^']+)'/gm)].map(
    ([, from, bare]) => from ?? bare,
  );
  return [...new Set(names.flatMap((name) => resolved(join(dirname(path), name))))];
}

function resolved(path) {
  const bare = normalize(path).replace(/\.js$/, '');
  const found = [`${bare}.ts`, join(bare, 'index.ts')].find((candidate) => existsSync(candidate));
  return found === undefined ? [] : [relative(SRC, found)];
}

function counted(list, keyOf) {
  const counts = new Map();
  for (const one of list) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Groups of files that reach each other: strongly connected components, after Tarjan. */
function circles() {
  const imports = new Map(files.map(({ path, imports: names }) => [path, names]));
  const seen = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (path) => {
    seen.set(path, seen.size);
    low.set(path, seen.get(path));
    stack.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!seen.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path), low.get(next)));
    }
    if (low.get(path) !== seen.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const path of imports.keys()) if (!seen.has(path)) visit(path);
  return found.sort((a, b) => b.length - a.length);
}
