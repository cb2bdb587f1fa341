import { verify } from 'node:crypto';
import { publicKey } from '../../../../src/attestation/public-key';
import type { BundleLine } from '../../../../src/audit/format/lines';
import { readLines } from '../../../../src/audit/format/reader';
import { redact, type RedactRequest, type RedactionResult } from '../../../../src/audit/redact/redact';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json } from '../../../../src/shared/json/json';
import { handMade, signer, type HandMade } from './hand-made';

const operator = signer();
const redactor = signer();
let sample: HandMade;
beforeAll(async () => void (sample = await handMade(operator)));

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function redacted(more: Partial<RedactRequest>, bytes = sample.bytes) {
  const request = { messages: false, calls: [], parts: [], reason: 'asked for by the customer', signer: redactor, ...more };
  const lines = redact(() => chunksOf(bytes), request);
  let text = '';
  for (;;) {
    const next = await lines.next();
    if (next.done) return { bytes: Buffer.from(text), ...(next.value as RedactionResult) };
    text += next.value;
  }
}

async function linesOf(bytes: Buffer): Promise<BundleLine[]> {
  const lines: BundleLine[] = [];
  for await (const line of readLines(chunksOf(bytes))) lines.push(line);
  return lines;
}

/** The words that are in the file, or in the decoded content of any base64 in it. */
async function says(bytes: Buffer, ...words: string[]): Promise<string[]> {
  const decoded = [...bytes.toString().matchAll(/"data":"([A-Za-z0-9+/=]*)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  const all = [bytes.toString(), ...decoded].join('\n').toLowerCase();
  return words.filter((word) => all.includes(word));
}

const kept = async (bytes: Buffer) =>
  new Map(
    (await linesOf(bytes)).flatMap((line) => (line.kind === 'part' ? [[line.body.ref, line.body.part !== null] as const] : [])),
  );

test('a call is left out everywhere: its parts, its payloads, and the failures that mention it', async () => {
  const { bytes, redaction } = await redacted({ calls: ['1.2'] });
  const left = await kept(bytes);
  const out = Object.entries(sample.refs).filter(([, ref]) => !left.get(ref));
  expect(out.map(([name]) => name).sort()).toEqual(['card', 'pay', 'pay_result', 'pay_use']);
  expect(await says(bytes, 'de02-1203-0000', ':731', 'wilhelmina-accounts', 'as agreed')).toEqual([
    'wilhelmina-accounts',
    'as agreed',
  ]);
  expect(redaction).toMatchObject({ parts: 4, payloads: 2 });
});

test('the conversation is left out, and with it the history’s copies; calls stay', async () => {
  const { bytes, repeated_in } = await redacted({ messages: true });
  const words = ['settle what', 'wilhelmina.', 'looking her', 'owed', 'wilhelmina-accounts'];
  expect(await says(bytes, ...words)).toEqual(['wilhelmina-accounts']);
  const [, first] = (await linesOf(bytes)).filter(({ kind }) => kind === 'event');
  expect(first!.body).toMatchObject({ event: { result: { payloads: [{ redacted: true }] } } });
  expect(repeated_in).toEqual([sample.refs.lookup]);
});

test('nothing else changes, and the redactor signs', async () => {
  const { bytes, redaction } = await redacted({ parts: [sample.refs.thought!] });
  const [before, after] = [await linesOf(sample.bytes), await linesOf(bytes)];
  const changed = before.filter(
    (line, index) => canonical(line.body as unknown as Json) !== canonical(after[index]!.body as unknown as Json),
  );
  expect(changed.map(({ kind }) => kind)).toEqual(['event', 'event', 'part', 'end']);
  const original = before.at(-1)!.body as { root: string; kid: string; signature: string };
  expect(redaction.of).toEqual({ root: original.root, kid: operator.kid, signature: original.signature });
  const { signature, ...rest } = after.at(-1)!.body as unknown as Record<string, string>;
  const holds = verify(null, Buffer.from(canonical(rest)), publicKey(redactor.public), Buffer.from(signature!, 'base64url'));
  expect(holds).toBe(true);
});

test('a payload that cannot be read is left out, because its content is unknown', async () => {
  const { bytes } = await redacted({ parts: [sample.refs.thought!] });
  expect(bytes.toString()).not.toContain('AAAA');
});

test('a redacted bundle can be redacted again, and the counts include both redactions', async () => {
  const once = await redacted({ calls: ['1.2'] });
  const twice = await redacted({ calls: ['t1:1.1'] }, once.bytes);
  expect(twice.redaction).toMatchObject({ of: { root: once.root, kid: redactor.kid }, parts: 7 });
  expect(await says(twice.bytes, 'wilhelmina-accounts')).toEqual([]);
});

test('a part that is kept and repeats the text is named', async () => {
  const same = await redacted({ parts: [sample.refs.lookup_use!] });
  expect(same.repeated_in).toEqual([sample.refs.lookup]);
  expect(await says(same.bytes, 'wilhelmina-accounts')).not.toEqual([]);
});

test.each([
  [{ calls: ['9.9'] }, /no call or part "9\.9"/],
  [{ parts: ['f'.repeat(64)] }, /no call or part/],
  [{}, /Nothing would be left out/],
  [{ messages: true, reason: ' ' }, /The reason must have/],
])('refused: %j', async (request, reason) => {
  await expect(redacted(request)).rejects.toThrow(reason);
});

test.each([
  ['a part', (text: string) => text.replace('Looking her', 'Looking him')],
  ['the end', (text: string) => text.slice(0, text.lastIndexOf('{"body"'))],
  ['the signature', (text: string) => text.replace(/"signature":"..../, '"signature":"AAAA')],
  ['all', () => 'no bundle\n'],
])('a broken bundle is not signed again: %s', async (_, change) => {
  await expect(redacted({ messages: true }, Buffer.from(change(sample.bytes.toString())))).rejects.toThrow(
    /This is no whole bundle: .* `holdfast audit verify` says more/s,
  );
});
