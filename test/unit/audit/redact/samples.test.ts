/** Every frozen bundle, redacted in each way: it still verifies, reports how much is missing, and contains none of it any more. */
import { readdirSync } from 'node:fs';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { redact, type RedactRequest, type RedactionResult } from '../../../../src/audit/redact/redact';
import { verifyBundle } from '../../../../src/audit/verify';
import { REDACTOR_KEY, sample, SAMPLES, TRUST } from '../../../support/bundle-keys';

const NAMES = readdirSync(SAMPLES).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -'.jsonl'.length)] : []));

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

async function redacted(text: string, what: Partial<RedactRequest>): Promise<{ text: string; done: RedactionResult }> {
  const request = { messages: false, calls: [], parts: [], reason: 'a test', signer: ofKey(REDACTOR_KEY), ...what };
  const lines = redact(() => bytesOf(text), request);
  let made = '';
  for (;;) {
    const next = await lines.next();
    if (next.done) return { text: made, done: next.value };
    made += next.value;
  }
}

/** The texts of a bundle, in its lines and in the payloads of its events. */
function saidIn(text: string): string {
  const decoded = [...text.matchAll(/"data":"([A-Za-z0-9+/=]*)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  return [text, ...decoded].join('\n');
}

const hasCalls = (text: string) => text.includes('"call_id":"1.1"');

test.each(NAMES)('%s', async (name) => {
  const whole = await sample(name);
  const before = await verifyBundle(bytesOf(whole), TRUST);
  const ways: Partial<RedactRequest>[] = [
    ...(whole.includes('"kind":"message"') ? [{ messages: true }] : []),
    ...(hasCalls(whole) ? [{ calls: ['1.1'] }] : []),
  ];
  for (const way of ways) {
    const { text, done } = await redacted(whole, way);
    const { parts, payloads, of } = done.redaction;
    expect(await verifyBundle(bytesOf(text), TRUST)).toMatchObject({
      verdict: 'intact',
      complete: before.complete,
      redactions: parts + payloads,
      signed_by: REDACTOR_KEY.kid,
      why: '',
    });
    expect([parts > 0, of.root]).toEqual([true, before.root]);
  }
});

test('an amount and an invoice are gone from the bundle once their call is left out and nothing repeats them', async () => {
  const { text } = await redacted(await sample('denied'), { calls: ['1.1'], messages: true });
  for (const word of ['INV-7', '"cents":700', '700 cents', 'Pay INV']) expect(saidIn(text)).not.toContain(word);
  expect(saidIn(text)).toContain('Not this month.');
});
