/** docs/troubleshooting.md has each error that a user can see, by the name or code that the source gives it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../../src/shared/wire/error-codes';
import { pageOf, ROOT } from '../../support/named-tests';

const page = pageOf('troubleshooting.md');
const listed = new Set([...page.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));
const missing = (names: Iterable<string>) => [...new Set(names)].filter((name) => !listed.has(name)).toSorted();

const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && file !== join('http-client', 'schema.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'src', file), 'utf8') }));

/** The first group of each match, in the sources whose path begins so. */
const found = (pattern: RegExp, ...rooms: string[]) =>
  SOURCES.filter(({ file }) => rooms.length === 0 || rooms.some((room) => file.startsWith(`${room}/`))).flatMap(({ text }) =>
    [...text.matchAll(pattern)].map(([, name]) => name!),
  );

/** Errors that our own code catches, or that only say how something else ended. */
const NEVER_SEEN = [
  'CallStateError', // a fault of the engine, which a test of each transition excludes
  'EndOfInput', // Ctrl-D at a question
  'Exit', // an exit code
  'ModelBusy', // a step comes back later
  'Refusal', // an answer over HTTP, by its reason
  'StreamError', // as a `ModelFailure`
  'UnexpectedPart', // as `holdfast.store.unexpected_part`
];

it('has each class of errors that the source exports, and no other', () => {
  const classes = found(/^export class (\w+) extends (?:Type)?Error\b/gm);
  expect(classes.length).toBeGreaterThan(50);
  expect(missing(classes)).toEqual(NEVER_SEEN);
  const names = [...listed].filter((name) => /^[A-Z][a-z]+\w*$/.test(name));
  expect(names.filter((name) => !classes.includes(name))).toEqual([]);
});

it('has each code of a failed call, of the store, of a model request, and of a failed turn', () => {
  expect(missing(Object.keys(ERROR_CODES))).toEqual([]);
  const [storeCodes] = found(/readonly code: ((?:'\w+'(?: \| )?)+)/g, 'store');
  expect(missing([...storeCodes!.matchAll(/'(\w+)'/g)].map(([, code]) => code!))).toEqual([]);
  const models = found(/'(model\.[a-z_]+)'/g);
  expect(models.length).toBeGreaterThan(10);
  expect(missing(models)).toEqual([]);
});

it('has each reason of an answer over HTTP, once', () => {
  const rooms = ['gateway', 'protocols', 'completions', 'triggers', 'deputies', 'passkeys', 'stop'];
  const reasons = found(/\breason: '([a-z_]+)'/g, ...rooms);
  expect(reasons.length).toBeGreaterThan(60);
  expect(missing(reasons)).toEqual([]);
  const table = page.slice(page.indexOf('## Answers over HTTP'));
  const rows = [...table.matchAll(/^\| \d.*$/gm)].flatMap(([row]) => [...row.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!));
  expect(rows.filter((name, index) => rows.indexOf(name) !== index && reasons.includes(name))).toEqual([]);
  // What is on the page but in no source any more is an error too.
  expect(rows.filter((name) => name.includes('_') && !reasons.includes(name))).toEqual([]);
});
