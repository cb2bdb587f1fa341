/**
 * The two verifiers over bundles that somebody with the stolen key has changed anywhere. Seeded, so that a disagreement is found again. The
 * second one has fewer rules: where the first names a rule of both, they agree on the line; of the others the second finds what follows, or nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '../../../../src/audit/verify';
import { sample, TRUST } from '../../../support/bundle-keys';
import { pythonVerifier } from '../../support/python-verifier';
import { random } from '../../support/random';
import { forged } from '../../../support/audit/forge';
import { another, leavesOf, put } from '../support/leaves';
import { judgedByPython, type Case } from '../support/python';

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
];
const EACH = 25;

/** Rules of which the page says that both check them. */
function rulesOfBoth(): Set<string> {
  const page = readFileSync(join(__dirname, '../../../../docs/bundle-format.md'), 'utf8');
  return new Set(page.split('## The second verifier')[1]!.match(/\b[SHBTD][1-9][0-9]?\b/g));
}

async function changed(): Promise<Case[]> {
  const next = random(SEED);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  // As somebody would change it, or as no engine has ever written it.
  const changes = [another, another, another, () => null, () => '', () => 7, () => [], () => ({}), (it: any) => `${it}\u034f`];
  const cases: Case[] = [];
  for (const name of SAMPLES) {
    const text = await sample(name);
    let places = forged(text, (lines) => void lines);
    const all = [...leavesOf(places)];
    for (let n = 0; n < EACH; n++) {
      const wanted = Array.from({ length: 1 + Math.floor(next() * 2) }, () => ({ ...pick(all), change: pick(changes) }));
      places = forged(text, (lines) => {
        for (const { line, path, change } of wanted) put(lines[line]!, path, change);
      });
      const said = wanted.map(({ line, path, change }) => `${line} ${path.join('.')} ${change.name || String(change)}`);
      cases.push({ name: `${name}: ${said.join(' and ')}`, bytes: Buffer.from(places.text) });
    }
  }
  return cases;
}

both(`they never disagree about what both look at${suffix}`, async () => {
  const cases = await changed();
  const theirs = await judgedByPython(python!, cases);
  const rules = rulesOfBoth();
  const disagreements: string[] = [];
  let broken = 0;
  for (const [index, { name, bytes }] of cases.entries()) {
    const [ours, other] = [await verifyBundle([bytes], TRUST), theirs[index]!];
    // Of B12 the second verifier knows a part.
    const looked = ours.rule === null || (rules.has(ours.rule) && (ours.rule !== 'B12' || other.line === ours.line));
    const agree = looked
      ? ours.verdict === other.verdict && ours.line === other.line
      : !(other.line! < ours.line!) || other.line === null;
    if (!agree)
      disagreements.push(`${name}: ${ours.verdict} ${ours.line} ${ours.rule}, ${other.verdict} ${other.line} ${other.rule}`);
    if (ours.verdict === 'broken') broken += 1;
  }
  expect(disagreements).toEqual([]);
  expect(broken).toBeGreaterThan(cases.length / 4);
});
