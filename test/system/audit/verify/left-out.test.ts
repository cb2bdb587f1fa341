/** A redactor leaves one payload or one part at a time out of an honest bundle: both verifiers accept the rest. */
import { verifyBundle } from '../../../../src/audit/verify';
import { BUNDLE_VERSION, type EndBody } from '../../../../src/audit/format/lines';
import { sample, TRUST } from '../../../support/bundle-keys';
import { sampled } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { forged, type OpenLine } from '../../../support/audit/forge';
import { judgedByPython } from '../support/python';

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
  'thawed',
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

interface LeftOut {
  name: string;
  make(): Buffer;
}

async function cases(): Promise<LeftOut[]> {
  const all: LeftOut[] = [];
  for (const name of SAMPLES) {
    const text = await sample(name);
    const left = (what: string, counts: { parts: number; payloads: number }, leave: (lines: OpenLine[]) => void) => {
      const make = () => {
        const { text: less } = forged(text, (lines) => {
          leave(lines);
          const { root, kid, signature, public: key } = structuredClone(lines.at(-1)!.body) as EndBody;
          const newer = lines[0]!.body.v === BUNDLE_VERSION ? { public: key, redaction: null } : {};
          lines.at(-1)!.body.redaction = { of: { root, kid, signature, ...newer }, reason: 'a test', ...counts };
        });
        return Buffer.from(less);
      };
      all.push({ name: `${name} without ${what}`, make });
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

const python = pythonVerifier();

test(`an honest redacted bundle is not called broken by ${python === null ? 'ours (the second needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : 'either'}`, async () => {
  const all = await cases();
  expect(all.length).toBeGreaterThan(200);
  const judged = sampled(all, 9).map(({ name, make }) => ({ name, bytes: make() }));
  const broken: string[] = [];
  for (const { name, bytes } of judged) {
    const { verdict, line, rule, why } = await verifyBundle([bytes], TRUST);
    if (verdict !== 'intact') broken.push(`${name}: ${verdict} ${line} ${rule} ${why}`);
  }
  const theirs = python === null ? [] : await judgedByPython(python, judged);
  for (const [index, { verdict, line, rule }] of theirs.entries())
    if (verdict !== 'intact') broken.push(`${judged[index]!.name}, the second: ${verdict} ${line} ${rule}`);
  expect(broken).toEqual([]);
});
