/** A bundle of a turn with files, and what somebody with the key could change in it: both verifiers say the same (rules B14, D1, S6). */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { redact } from '../../../src/audit/redact/redact';
import { BundleFiles, TurnFiles } from '../../../src/audit/verify/file-checks';
import type { Json } from '../../../src/shared/json/json';
import { verifyBundle } from '../../../src/audit/verify';
import { content } from '../../../src/tools/results/result-files';
import { withEngine } from '../../engine/support/engine';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { pdf, png } from '../../support/files/samples';
import { rewritten, type AnyLine } from '../../support/rewrite-bundle';
import { ask, say } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { pythonVerifier } from '../support/python-verifier';
import { judgedByPython } from './support/python';

const python = pythonVerifier();
let bundle = '';

beforeAll(async () => {
  const chart = reads('chart', () => content('The chart:', { type: 'image', bytes: png(3), name: 'chart.png' }));
  await withEngine({ tools: [chart], script: [ask(['chart', {}]), say('I see.')] }, async ({ client, store }) => {
    const invoice = await client.files.put({ bytes: pdf(), name: 'invoice.pdf' });
    const turn = await client.start({ agent: 'tester', message: [{ type: 'text', text: 'Pay this.' }, invoice] });
    await turn.result();
    bundle = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
  });
});

const isPart = (line: AnyLine, v: string) => line.kind === 'part' && (line.body.part?.body as any)?.v === v;

/** As a person who is asked for it leaves it out, with `audit redact`. */
async function without(v: string): Promise<string> {
  const lines = bundle
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnyLine);
  const parts = lines.flatMap((line) => (line.kind === 'part' && isPart(line, v) ? [line.body.ref] : []));
  const request = { messages: false, calls: [], parts, reason: 'asked for', signer: ofKey(BUNDLE_KEY) };
  let text = '';
  for await (const line of redact(() => Readable.from([Buffer.from(bundle)]), request)) text += line;
  return text;
}

const changes: Record<string, () => string | Promise<string>> = {
  nothing: () => bundle,
  'a file is left out': () => without('holdfast.file/1'),
  'bytes are left out': () => without('holdfast.file-bytes/1'),
  'a file is left out, and nothing says so': () =>
    rewritten(bundle, (line) => (isPart(line, 'holdfast.file/1') ? { ...line.body, part: null } : line.body)),
  'a file has no line': () => rewritten(bundle, (line) => (isPart(line, 'holdfast.file/1') ? null : line.body)),
  'bytes have no line': () => rewritten(bundle, (line) => (isPart(line, 'holdfast.file-bytes/1') ? null : line.body)),
  'history has another message': () =>
    rewritten(bundle, (line) => (line.kind === 'event' ? (otherMessage(line.body) as object) : line.body)),
};

/** Payloads are base64 of JSON. */
function otherMessage(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(otherMessage);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, otherMessage(one)]));
  const text = typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
  return text.includes('Pay this.') ? Buffer.from(text.replaceAll('Pay this.', 'Pay that.')).toString('base64') : value;
}

test('both find each change, and say the same of it', async () => {
  const cases: { name: string; bytes: Buffer }[] = [];
  for (const [name, make] of Object.entries(changes)) cases.push({ name, bytes: Buffer.from(await make()) });
  const ours = [];
  for (const { bytes } of cases) ours.push(await verifyBundle([bytes], TRUST));
  const told = ({ verdict, line, rule }: any, index: number) => ({ name: cases[index]!.name, verdict, line, rule });
  const verdicts = Object.fromEntries(
    ours.map(({ verdict, rule }, index) => [cases[index]!.name, `${verdict} ${rule ?? ''}`.trim()]),
  );
  expect(verdicts).toEqual({
    nothing: 'intact',
    'a file is left out': 'intact',
    'bytes are left out': 'intact',
    'a file is left out, and nothing says so': 'broken S6',
    'a file has no line': 'broken B14',
    'bytes have no line': 'broken B14',
    'history has another message': 'broken D1',
  });
  if (python === null) return;
  expect((await judgedByPython(python, cases)).map(told)).toEqual(ours.map(told));
});

const FILE = 'a'.repeat(64);
const BYTES = 'b'.repeat(64);
const named = { type: 'image', file: FILE, name: 'a.png', media_type: 'image/png', size: png().length };
const described = {
  ...{ v: 'holdfast.file/1', owner: 'rita', name: 'a.png', media_type: 'image/png', size: png().length, bytes: BYTES },
  sha256: createHash('sha256').update(png()).digest('hex'),
};
const bytes = { v: 'holdfast.file-bytes/1', data: png().toString('base64') };
/** Head, message, description and bytes; null: left out; undefined: there is no line. */
const parts: Record<string, Partial<Record<'head' | 'message' | 'file' | 'bytes', Json | undefined>>> = {
  right: {},
  'in a result': { message: { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: '{}' }, named] } },
  'of the model': { head: { role: 'assistant' }, file: undefined },
  'left out': { file: null },
  'bytes left out': { bytes: null },
  'no file': { file: undefined },
  'no bytes': { bytes: undefined },
  'another name': { file: { ...described, name: 'b.png' } },
  'another type': { file: { ...described, media_type: 'image/gif' } },
  'an unknown type': { file: { ...described, media_type: 'image/svg+xml' } },
  'another size': { file: { ...described, size: 7 } },
  'a size that is no number': { file: { ...described, size: true } },
  'another hash': { file: { ...described, sha256: 'f'.repeat(64) } },
  'another version': { file: { ...described, v: 'holdfast.file/2' } },
  'no owner': { file: { ...described, owner: null } },
  'other bytes': { bytes: { ...bytes, data: 'AAAA' } },
  'no padding': { bytes: { ...bytes, data: bytes.data.replace(/=+$/, '') } },
  'base64 in lines': { bytes: { ...bytes, data: `${bytes.data.slice(0, 8)}\n${bytes.data.slice(8)}` } },
  'letters beyond base64': { bytes: { ...bytes, data: `${bytes.data}ä` } },
  'bytes that are none': { bytes: described },
  'a file that is none': { file: 'text' },
  'more fields': { message: { ...named, more: 1 }, file: undefined },
  'too large': { message: { ...named, size: 2 ** 25 + 1 }, file: undefined },
  'a long name': { message: { ...named, name: '😀'.repeat(61) }, file: undefined },
  'a name that just fits': { message: { ...named, name: '😀'.repeat(60) }, file: undefined },
};
const JUDGE = `
import json, sys
sys.path.insert(0, sys.argv[1])
from verify_files import BundleFiles, TurnFiles
from verify_values import form
for line in sys.stdin:
    turn = TurnFiles(BundleFiles(form))
    for ref, body in json.loads(line):
        turn.part(ref, None if body is None else {"body": body})
    turn.message(["1", "2"])
    print(json.dumps(turn.right()))
`;

(python === null ? test.skip : test)('both judge alike what a message names as a file (B14)', () => {
  const cases = Object.values(parts).map((change) => {
    const all = { head: { role: 'user' }, message: named, file: described, bytes, ...change };
    const refs = { head: '1', message: '2', file: FILE, bytes: BYTES };
    const lines = Object.entries(all) as [keyof typeof refs, Json | undefined][];
    return lines.flatMap(([name, body]): [string, Json][] => (body === undefined ? [] : [[refs[name], body]]));
  });
  const ours = cases.map((lines) => {
    const turn = new TurnFiles(new BundleFiles());
    for (const [ref, body] of lines) turn.part(ref, body === null ? null : { v: 'holdfast.part/1', salt: '0'.repeat(32), body });
    turn.message(['1', '2']);
    return turn.fault() === null;
  });
  const folder = join(__dirname, '../../../packages/verify/python');
  const input = cases.map((lines) => `${JSON.stringify(lines)}\n`).join('');
  const theirs = execFileSync(python!, ['-c', JUDGE, folder], { input, encoding: 'utf8' }).trimEnd().split('\n');
  const byName = (answers: unknown[]) => Object.fromEntries(Object.keys(parts).map((name, index) => [name, answers[index]]));
  expect(byName(theirs.map((line) => JSON.parse(line)))).toEqual(byName(ours));
  expect(new Set(ours)).toEqual(new Set([true, false]));
});
