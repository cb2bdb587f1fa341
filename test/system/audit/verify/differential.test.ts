/**
 * The two verifiers over bundles that somebody with the stolen key has changed anywhere. Seeded, so that a disagreement is found again. Where
 * the first names a rule of both, they agree on the line; of a rule of the first alone, the second finds what follows, or nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '../../../../src/audit/verify';
import { sample, TRUST } from '../../../support/bundle-keys';
import { sampled } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { random } from '../../support/random';
import { forged } from '../../../support/audit/forge';
import type { Json } from '../../../../src/shared/json/json';
import { another } from '../../../support/audit/another';
import { found, leavesOf, objectsOf, put } from '../support/leaves';
import { judgedByPython, type Case } from '../support/python';

const DOCS = join(__dirname, '../../../../docs');
const PYTHON = join(__dirname, '../../../../packages/verify/python');
const python = pythonVerifier();
const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
const SEED = Number(process.env.HOLDFAST_TEST_SEED ?? 16);
const SAMPLES = [
  'approval',
  'in_doubt',
  'quorum',
  'bound',
  'reset',
  'call',
  'edited',
  'denied',
  'cancelled',
  'sub_agent',
  'spoken',
  'session',
  'waited',
  'probed',
  'crowded',
  'set_aside',
  'thawed',
];
const EACH = 25;

/** Rules of which the page says that both check them. */
function rulesOfBoth(): Set<string> {
  const page = readFileSync(join(DOCS, 'bundle-format.md'), 'utf8');
  return new Set(page.split('## The second verifier')[1]!.match(/\b[SHBTD][1-9][0-9]?\b/g));
}

type Pick = <T>(list: readonly T[]) => T;

/** Bundles that `make` has made of each sample, and what it says that it has changed. */
async function casesOf(make: (text: string, pick: Pick) => { said: string; text: string }): Promise<Case[]> {
  const next = random(SEED);
  const pick: Pick = (list) => list[Math.floor(next() * list.length)]!;
  const cases: Case[] = [];
  for (const name of SAMPLES) {
    const whole = await sample(name);
    for (let n = 0; n < EACH; n++) {
      const { said, text } = make(whole, pick);
      cases.push({ name: `${name}: ${said}`, bytes: Buffer.from(text) });
    }
  }
  return cases;
}

// Values that somebody could put there, and values that no engine has ever written.
const CHANGES = [another, another, another, () => null, () => '', () => 7, () => [], () => ({}), (it: any) => `${it}\u034f`];

function withOtherValues(whole: string, pick: Pick) {
  let said: string[] = [];
  const { text } = forged(whole, (lines) => {
    const all = [...leavesOf(lines)];
    const wanted = [pick(all), ...pick([[], [pick(all)]])].map((leaf) => ({ ...leaf, change: pick(CHANGES) }));
    for (const { line, path, change } of wanted) put(lines[line]!, path, change);
    said = wanted.map(({ line, path, change }) => `${line} ${path.join('.')} ${change.name || String(change)}`);
  });
  return { said: said.join(' and '), text };
}

/** Every name that the second verifier reads, in whichever of its files. */
const FILES = readdirSync(PYTHON).filter((name) => name.endsWith('.py'));
const TEXT = FILES.map((name) => readFileSync(join(PYTHON, name), 'utf8')).join('\n');
const NAMES = [...new Set(TEXT.match(/(?<=["' :.])[a-zA-Z_]{2,30}(?=["' :.])/g))].filter((name) => name !== 'ref');
const HASH = /[0-9a-f]{64}/;
const VALUES: Json[] = [null, '', 7, true, [], {}, 'x', 1.5];

/** A field put in under a name that is read somewhere, or a field left out. */
function withOtherFields(whole: string, pick: Pick) {
  let said = '';
  const { text } = forged(whole, (lines) => {
    const places = [...objectsOf(lines)];
    const { line, path } = pick(places);
    const object = found(lines[line]!, path);
    const own = Object.keys(object).filter((key) => key !== 'ref'); // the forger makes refs right
    const name = own.length > 0 && pick([true, false]) ? pick(own) : pick(NAMES);
    // A value that stands somewhere under this name, one that stands nowhere, or none.
    const same = places
      .map((place) => found(lines[place.line]!, [...place.path, name]))
      .filter((it) => it !== undefined && !HASH.test(JSON.stringify(it))); // what names itself has no hash
    const value = pick([undefined, pick(VALUES), same.length > 0 ? structuredClone(pick(same)) : null]);
    said = `${line} ${path.join('.')} ${name}: ${JSON.stringify(value)?.slice(0, 80)}`;
    if (value === undefined) delete object[name];
    else object[name] = value;
  });
  return { said, text };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** How somebody may spell what stands in a payload so that two readers see two values. */
const SPELLINGS: Record<string, (json: string) => string> = {
  'a name twice': (json) => base64(json.replace('{', '{"digest":"x","digest":"y",')),
  'half a surrogate pair': (json) => base64(json.replace('{', '{"x":"\\ud800",')),
  'no number': (json) => base64(json.replace('{', '{"x":NaN,')),
  'a number beyond a double': (json) => base64(json.replace('{', '{"x":1e999,')),
  'a large integer': (json) => base64(json.replace('{', '{"x":9007199254740993,')),
  'nested too deep': (json) => base64(json.replace('{', `{"x":${'['.repeat(200)}${']'.repeat(200)},`)),
  'a byte order mark': (json) => base64(`\ufeff${json}`),
  'UTF-16': (json) => Buffer.from(json, 'utf16le').toString('base64'),
  'no UTF-8': (json) => Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff]), Buffer.from(json.replace('{', '",'))]).toString('base64'), // oxfmt-ignore
  'integers with a fraction': (json) => base64(json.replace(/:([0-9]+)([,}])/g, ':$1.0$2')),
  'no padding': (json) => base64(`${json}${' '.repeat((3 - (json.length % 3)) % 3)} `).replace(/=+$/, ''),
  'base64 of URLs': (json) => Buffer.from(`${json} `).toString('base64url'),
  'base64 with spaces': (json) => base64(json).replace(/^..../, '$& '),
  'base64 with a rest': (json) => `${base64(json)}====`,
};

function spelledOtherwise(whole: string, pick: Pick) {
  let said = '';
  const { text } = forged(whole, (lines) => {
    const payloads = [...objectsOf(lines)].filter(({ line, path }) => typeof found(lines[line]!, [...path, '$']) === 'object');
    const { line, path } = pick(payloads);
    const [name, spell] = pick(Object.entries(SPELLINGS));
    said = `${line} ${path.join('.')}: ${name}`;
    const data = spell(JSON.stringify(found(lines[line]!, [...path, '$'])));
    put(lines[line]!, path, () => ({ metadata: { encoding: base64('json/plain') }, data }));
  });
  return { said, text };
}

both.each([
  ['values', withOtherValues, 4],
  ['fields', withOtherFields, 10],
  ['spellings of payloads', spelledOtherwise, 4],
])(`the two verifiers never disagree about what both check: other %s${suffix}`, async (_what, make, least) => {
  const cases = sampled(await casesOf(make), 8);
  const theirs = await judgedByPython(python!, cases);
  const rules = rulesOfBoth();
  const disagreements: string[] = [];
  let broken = 0;
  for (const [index, { name, bytes }] of cases.entries()) {
    const [ours, other] = [await verifyBundle([bytes], TRUST), theirs[index]!];
    const looked = ours.rule === null || rules.has(ours.rule);
    const agree = looked
      ? ours.verdict === other.verdict && ours.line === other.line
      : !(other.line! < ours.line!) || other.line === null;
    if (!agree)
      disagreements.push(`${name}: ${ours.verdict} ${ours.line} ${ours.rule}, ${other.verdict} ${other.line} ${other.rule}`);
    if (ours.verdict === 'broken') broken += 1;
  }
  expect(disagreements).toEqual([]);
  expect(broken).toBeGreaterThan(cases.length / least);
});
