/**
 * packages/verify/python/verify_bundle.py was written from docs/bundle-format.md alone. It and the product's own verifier judge the same bundles: where
 * they disagree, one of them is wrong, or the page is. One process of Python judges them all.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '../../../src/audit/verify';
import { SAMPLES, STRANGER_KEY, TRUST } from '../../support/bundle-keys';
import { pythonVerifier } from '../support/python-verifier';
import { sampled } from '../../support/runs';
import { rewritten } from '../../support/rewrite-bundle';
import { forgeries } from '../../support/audit/forgeries';
import { mutations } from './support/mutations';
import { judgedByPython, type Answer, type Case } from './support/python';

const DOCS = join(__dirname, '../../../docs');
const PYTHON = join(__dirname, '../../../packages/verify/python');
const python = pythonVerifier();
const whatFor = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';

test.each(readdirSync(PYTHON).filter((name) => name.endsWith('.py')))(
  'it can be read: %s has fewer than 1550 lines, of at most 120 characters',
  (name) => {
    const lines = readFileSync(join(PYTHON, name), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThan(1550);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  },
);

whatFor(`both say the same about samples, also when an unknown signer has signed them${suffix}`, async () => {
  const cases = samples();
  const strange = cases.map(({ name, bytes }) => signedByStranger(name, bytes));
  const all = [...cases, ...strange];
  const [ours, theirs] = [await judged(all), await judgedByPython(python!, all)];
  expect(theirs.map(asTold)).toEqual(ours.map(asTold));
  expect(new Set(ours.map(({ verdict }) => verdict))).toEqual(new Set(['intact', 'signer_unknown']));
});

/** A person without a key changes nothing unnoticed, in bundles of every kind. */
test.each(samples())(
  `each change is found, at its line, by ${python === null ? 'ours alone' : 'both'}: $name`,
  async ({ name, bytes }) => {
    const all = [...mutations(bytes)];
    const cases = sampled(all, Math.min(24, Math.floor(all.length / 13))).map((change) => ({
      ...change,
      of: join(SAMPLES, name),
    }));
    const [ours, theirs] = await Promise.all([judged(cases), python === null ? null : judgedByPython(python, cases)]);
    const place = ({ verdict, line }: Answer, index: number) => `${cases[index]!.name}: ${verdict} at ${line}`;
    const missed = ours.map(({ verdict, line }, index) => verdict !== 'broken' || !cases[index]!.lines.includes(line!));
    expect(ours.map(place).filter((_, index) => missed[index])).toEqual([]);
    if (theirs) expect(theirs.map(place)).toEqual(ours.map(place));
    expect(cases.length).toBeGreaterThan(12);
  },
);

whatFor(`both find the contradictions under a good signature that both look for${suffix}`, async () => {
  const cases = await forgeries();
  const [ours, theirs] = [await judged(cases), await judgedByPython(python!, cases)];
  const rules = rulesOfThePage();
  const looked = ours.map(({ rule }) => rules.has(rule!));
  const place = ({ verdict, line }: Answer, index: number) => `${cases[index]!.name}: ${verdict} at ${line}`;
  const where = (which: boolean, answers: Answer[]) => answers.map(place).filter((_, index) => looked[index] === which);
  expect(where(true, theirs)).toEqual(where(true, ours));
  // Of the others it may find what follows from them, further down, and nothing before.
  const early = theirs.map(({ line }, index) => line !== null && line < ours[index]!.line!);
  expect(theirs.map(place).filter((_, index) => early[index])).toEqual([]);
  expect(looked.filter(Boolean).length).toBeGreaterThan(60);
});

function samples(): Case[] {
  const names = readdirSync(SAMPLES).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => ({ name, bytes: readFileSync(join(SAMPLES, name)) }));
}

function signedByStranger(name: string, bytes: Buffer): Case {
  return {
    name: `${name}, signed by a stranger`,
    bytes: Buffer.from(rewritten(bytes.toString(), ({ body }) => body, STRANGER_KEY)),
  };
}

/** The rules that the page says it checks. */
function rulesOfThePage(): Set<string> {
  const section = readFileSync(join(DOCS, 'bundle-format.md'), 'utf8').split('## The second verifier')[1]!;
  return new Set(section.match(/\b[SHBTD][1-9][0-9]?\b/g));
}

async function judged(cases: Case[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { bytes } of cases) answers.push(await verifyBundle([bytes], TRUST));
  return answers;
}

function asTold({ verdict, line, rule, complete, redactions }: Answer) {
  return { verdict, line, rule, complete, redactions };
}
