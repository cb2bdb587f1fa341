/**
 * docs/verify_bundle.py was written from docs/bundle-format.md alone. It and the product's own verifier judge the same bundles: where
 * they disagree, one of them is wrong, or the page is. One process of Python judges them all.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '../../src/audit/verify';
import { SAMPLES, STRANGER_KEY, TRUST, TRUST_FILE } from '../support/bundle-keys';
import { pythonVerifier } from '../support/python-verifier';
import { rewritten } from '../support/rewrite-bundle';
import { forgeries } from './support/forgeries';
import { mutations } from './support/mutations';

const DOCS = join(__dirname, '..', '..', 'docs');
const python = pythonVerifier();
const whatFor = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
interface Answer {
  verdict: string;
  line: number | null;
  rule: string | null;
  complete: boolean | null;
  redactions: number;
}

interface Case {
  name: string;
  bytes: Buffer;
  /** The file that it was made of, with most of its bytes. */
  of?: string;
}

test('it has fewer than 200 lines, of at most 120 characters', () => {
  const lines = readFileSync(join(DOCS, 'verify_bundle.py'), 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThan(200);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

whatFor(`both say the same of samples, and of whoever signs without being known${suffix}`, async () => {
  const cases = samples();
  const strange = cases.map(({ name, bytes }) => signedByStranger(name, bytes));
  const all = [...cases, ...strange];
  const [ours, theirs] = [await judged(all), await judgedByPython(all)];
  expect(theirs.map(asTold)).toEqual(ours.map(asTold));
  expect(new Set(ours.map(({ verdict }) => verdict))).toEqual(new Set(['intact', 'signer_unknown']));
});

whatFor(`both find what was changed, at the same line${suffix}`, async () => {
  let count = 0;
  for (const { name, bytes } of samples()) {
    const of = join(SAMPLES, name);
    const cases = [...mutations(bytes)].map((change) => ({ name: `${name}, ${change.name}`, bytes: change.bytes, of }));
    const [theirs, ours] = await Promise.all([judgedByPython(cases), judged(cases)]);
    const place = ({ verdict, line }: Answer, index: number) => `${cases[index]!.name}: ${verdict} at ${line}`;
    expect(theirs.map(place)).toEqual(ours.map(place));
    count += cases.length;
  }
  expect(count).toBeGreaterThan(5000);
});

whatFor(`both find what contradicts itself under a good signature, where both look${suffix}`, async () => {
  const cases = await forgeries();
  const [ours, theirs] = [await judged(cases), await judgedByPython(cases)];
  const rules = rulesOfThePage();
  const looked = ours.map(({ rule }) => rules.has(rule!));
  const place = ({ verdict, line }: Answer, index: number) => `${cases[index]!.name}: ${verdict} at ${line}`;
  const where = (which: boolean, answers: Answer[]) => answers.map(place).filter((_, index) => looked[index] === which);
  expect(where(true, theirs)).toEqual(where(true, ours));
  // Of the others it may find what follows from them, further down, and nothing before.
  const early = theirs.map(({ line }, index) => line !== null && line < ours[index]!.line!);
  expect(theirs.map(place).filter((_, index) => early[index])).toEqual([]);
  expect(looked.filter(Boolean).length).toBeGreaterThan(5);
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
  return new Set(section.match(/\b[SHBT][1-9][0-9]?\b/g));
}

async function judged(cases: Case[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { bytes } of cases) answers.push(await verifyBundle([bytes], TRUST));
  return answers;
}

function judgedByPython(cases: Case[]): Promise<Answer[]> {
  const program = join(__dirname, 'support', 'judge_bundles.py');
  return new Promise((resolve, reject) => {
    const child = execFile(python!, [program, TRUST_FILE], { maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      if (error) return reject(new Error(`${error.message}\n${stderr}`));
      resolve(stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Answer)); // prettier-ignore
    });
    child.stdin!.end(cases.map((one) => `${JSON.stringify(changed(one))}\n`).join(''));
  });
}

/** As support/judge_bundles.py reads it: what changed, between what did not. */
function changed({ bytes, of }: Case): [from: string, head: number, middle: string, tail: number] {
  const from = of === undefined ? Buffer.alloc(0) : readFileSync(of);
  const shorter = Math.min(from.length, bytes.length);
  let head = 0;
  while (head < shorter && from[head] === bytes[head]) head++;
  let tail = 0;
  while (tail < shorter - head && from[from.length - 1 - tail] === bytes[bytes.length - 1 - tail]) tail++;
  return [of ?? '', head, bytes.subarray(head, bytes.length - tail).toString('base64'), tail];
}

function asTold({ verdict, line, rule, complete, redactions }: Answer) {
  return { verdict, line, rule, complete, redactions };
}
