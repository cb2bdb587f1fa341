/** Whatever a redactor leaves out of an honest bundle, one payload or one part at a time: both verifiers take the rest. */
import { verifyBundle } from '../../../../src/audit/verify';
import { BUNDLE_VERSION, type EndBody } from '../../../../src/audit/format/lines';
import { sample, TRUST } from '../../../support/bundle-keys';
import { sampled } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { forged, type OpenLine } from '../../../support/audit/forge';
import { judgedByPython, type Case } from '../support/python';

const SAMPLES = [
  'approval',
  'in_doubt',
  'quorum',
  'bound',
  'reset',
  'call',
  'edited',
  'denied',
  'expired',
  'cancelled',
  'spoken',
  'waited',
  'sub_agent',
  'forwarded',
  'steered',
  'probed',
  'crowded',
  'set_aside',
];

/** Where an event has payloads: in lists, and by name in its memo and search attributes. */
function payloadsIn(value: any): [holder: any, key: string | number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]): [any, string | number][] => {
    if (key === 'payloads') return [[held, 0]];
    if (key === 'fields' || key === 'indexedFields') return Object.keys(held as object).map((name) => [held, name]);
    return payloadsIn(held);
  });
}

const isPart = ({ kind, body }: OpenLine) => kind === 'part' && body.part !== null;

async function cases(): Promise<Case[]> {
  const all: Case[] = [];
  for (const name of SAMPLES) {
    const text = await sample(name);
    const left = (what: string, counts: { parts: number; payloads: number }, leave: (lines: OpenLine[]) => void) => {
      const { text: less } = forged(text, (lines) => {
        leave(lines);
        const { root, kid, signature, public: key } = structuredClone(lines.at(-1)!.body) as EndBody;
        const newer = lines[0]!.body.v === BUNDLE_VERSION ? { public: key, redaction: null } : {};
        lines.at(-1)!.body.redaction = { of: { root, kid, signature, ...newer }, reason: 'a test', ...counts };
      });
      all.push({ name: `${name} without ${what}`, bytes: Buffer.from(less) });
    };
    const lines = forged(text, () => undefined);
    const payloads = payloadsIn(lines.map(({ body }) => body.event ?? null)).length;
    for (let n = 0; n < payloads; n++)
      left(`payload ${n}`, { parts: 0, payloads: 1 }, (open) => {
        const [holder, key] = payloadsIn(open.map(({ body }) => body.event ?? null))[n]!;
        holder[key] = { redacted: true };
      });
    for (let n = 0; n < lines.filter(isPart).length; n++)
      left(`part ${n}`, { parts: 1, payloads: 0 }, (open) => void (open.filter(isPart)[n]!.body.part = null));
  }
  return all;
}

test('it is not called broken', async () => {
  const all = await cases();
  const broken: string[] = [];
  for (const { name, bytes } of all) {
    const { verdict, line, rule, why } = await verifyBundle([bytes], TRUST);
    if (verdict !== 'intact') broken.push(`${name}: ${verdict} ${line} ${rule} ${why}`);
  }
  expect(broken).toEqual([]);
  expect(all.length).toBeGreaterThan(200);
});

const python = pythonVerifier();
const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
both(`nor by the second verifier${suffix}`, async () => {
  const all = sampled(await cases(), 3);
  const answers = await judgedByPython(python!, all);
  const broken = answers.map(({ verdict, line, rule }, index) => `${all[index]!.name}: ${verdict} ${line} ${rule}`);
  expect(broken.filter((_, index) => answers[index]!.verdict !== 'intact')).toEqual([]);
});
