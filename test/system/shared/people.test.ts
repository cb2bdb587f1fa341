/** Which spellings of a name are one person: for us, and for those who verify our bundles. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainName, samePerson } from '../../../src/shared/approval/approval';
import { UNSEEN_RANGES } from '../../../src/shared/text/visible';
import { pythonVerifier } from '../support/python-verifier';
import { random } from '../support/random';

type Pairs = [string, string][];

const AUDIT = join(__dirname, '../audit');
const { same, other } = JSON.parse(readFileSync(join(AUDIT, 'people.json'), 'utf8')) as { same: Pairs; other: Pairs };
const python = pythonVerifier();
const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';

/** What packages/verify/python/verify_bundle.py takes each name for; null: it knows no such character. */
function byPython(names: string[]): (string | null)[] {
  const input = names.map((name) => `${JSON.stringify(name)}\n`).join('');
  const answer = execFileSync(python!, [join(AUDIT, 'support', 'judge_people.py')], { input, maxBuffer: 50_000_000 });
  return answer.toString().trimEnd().split('\n').map((line) => JSON.parse(line) as string | null); // oxfmt-ignore
}

/** Letters, accents, fillers, spaces, wide and compatible forms, and all invisible characters. */
function* names(count: number): Generator<string> {
  const next = random(16);
  const seen = [
    ...'anaAÉéßİıΣσςﬁKÅ가각ᄀ가Ａ１²½ǅ',
    '\u0301',
    '\u0308',
    '\u0345',
    ' ',
    '\t',
    '\n',
    '\u00a0',
    '\u2003',
    '\u3000',
    '\u1680',
  ];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const unseen = () => {
    const [from, to] = pick(UNSEEN_RANGES);
    return String.fromCodePoint(from + Math.floor(next() * (to - from + 1)));
  };
  const any = () => String.fromCodePoint(Math.floor(next() * 0xd800));
  for (let n = 0; n < count; n++)
    yield Array.from({ length: 1 + Math.floor(next() * 8) }, () => pick([() => pick(seen), unseen, any])()).join('');
}

test('names that differ only in invisible characters are one person, and others are not', () => {
  expect(same.filter(([a, b]) => !samePerson(a, b))).toEqual([]);
  expect(other.filter(([a, b]) => samePerson(a, b))).toEqual([]);
});

test('the list has every character that this version of Unicode calls ignorable, a format or a control character', () => {
  const ignored = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/u;
  const missing: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const char = String.fromCodePoint(point);
    if (ignored.test(char) && plainName(`an${char}a`) !== 'ana') missing.push(point.toString(16));
  }
  expect(missing).toEqual([]);
});

both(`both verifiers take the same names for one person${suffix}`, () => {
  const people = byPython([...same, ...other].flat());
  const pairs = [...same, ...other].map((_, index) => people[2 * index] === people[2 * index + 1]);
  expect(people).not.toContain(null);
  expect(pairs).toEqual([...same.map(() => true), ...other.map(() => false)]);

  const made = [...names(5000)];
  const theirs = byPython(made);
  const differing = made.filter((name, index) => theirs[index] !== null && theirs[index] !== plainName(name));
  expect(differing.map((name) => [JSON.stringify(name), escape(plainName(name))])).toEqual([]);
  expect(theirs.filter((person) => person !== null).length).toBeGreaterThan(2000);
});
