/**
 * `node scripts/words.mjs`: lists declared names that are neither nouns nor verbs, with their files: past participles (`held`,
 * `Asked`) and metaphors (`tale`, `hush`), see docs/glossary.md. It checks files, top-level declarations, methods and fields of
 * classes, parameters, and local variables with names that say nothing (`said`, `told`), in `src`, `packs` and `packages`. Texts
 * and JSON fields are public and are not checked. Exit status 1 if a name is not excused.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { EXCUSED_NAMES } from './lib/excused-names.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const IRREGULAR = new Set(
  `begun bound brought built caught chosen done drawn driven fallen felt forgotten found frozen given gone held hidden kept known laid led
  left lost made meant met paid ran said seen sent set shown sold spent spoken stood taken thought thrown told torn understood was went were
  withheld won worn written`.split(/\s+/),
);
const NOT_PARTICIPLES = new Set([
  'embed',
  'exceed',
  'feed',
  'need',
  'proceed',
  'red',
  'seed',
  'speed',
  'succeed',
  'bed',
  'shed',
  'weed',
  'deed',
  'indeed',
  'thread',
  'set',
]);
const METAPHORS = new Set('desk dress face hush life mouth pulse sight silence tale upward voice'.split(' '));

/** These names of local variables explain nothing. Other participles, such as `sorted` and `parsed`, name a step of the work. */
const EMPTY_WORDS = new Set(
  'asked begun done given gone held kept left made ran said seen shown stood taken told tried wanted was'.split(' '),
);

const names = ['src', 'packs', 'packages'].flatMap((room) => filesIn(join(ROOT, room))).flatMap(declaredIn);
const faults = names.filter(({ name }) => fault(name) && !EXCUSED_NAMES.has(name));
for (const { path, line, name } of faults) console.log(`${path}:${line} ${name}`);
console.log(`${names.length} names, ${faults.length} that are participles or metaphors`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** A participle before a noun is an adjective (`decidedCall`); a participle at the end is a fault. */
function fault(name) {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((word) => word.toLowerCase());
  const last = words.at(-1);
  if (words.some((word) => METAPHORS.has(word))) return true;
  // Errors: `TurnNotFound`.
  if (/Not(Found|Allowed|Accepted)$|_NOT_FOUND$/.test(name)) return false;
  // A name that is a question or a condition may end in a participle: `isKnown`, `wasTaken`, `unlessTaken`.
  if (
    /^(is|was|are|has|have|had|can|could|should|must|may|when|unless|if|until|once|on|not|never|to|be|get|mark)$/.test(
      words[0],
    ) &&
    words.length > 1
  )
    return false;
  return IRREGULAR.has(last) || (/[^aeiou]ed$|[aeiou]{1,2}ed$/.test(last) && !NOT_PARTICIPLES.has(last));
}

function declaredIn(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [{ path: relative(ROOT, path), line: 1, name: basename(path).split('.')[0].replaceAll('-', '_') }];
  const add = (node) => {
    if (node !== undefined && ts.isIdentifier(node))
      found.push({
        path: relative(ROOT, path),
        line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
        name: node.text,
      });
  };
  const visit = (node) => {
    if (ts.isParameter(node) || (ts.isClassElement(node) && ts.isClassLike(node.parent))) add(node.name);
    else if (ts.isVariableDeclaration(node) && EMPTY_WORDS.has(node.name.text)) add(node.name);
    ts.forEachChild(node, visit);
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) statement.declarationList.declarations.forEach(({ name }) => add(name));
    else add(statement.name);
    visit(statement);
  }
  return found;
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', 'test'].includes(entry.name) ? [] : filesIn(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}
