import { Secrets } from '../../../../src/audit/redact/secrets';
import type { Json } from '../../../../src/shared/json/json';

const CUSTOMER = '3f0a9c1d-2b4e-4c5d-8e6f-7a0b1c2d3e4f';
const KEY = 'ab'.repeat(32);
const TIME = '2026-01-31T10:00:00.000Z';
const removed: Json[] = [
  { customer_id: CUSTOMER },
  { private_key: `0x${KEY}`, plain: KEY },
  { due: TIME },
  { recipients: { 'alice@example.com': true } },
  { [CUSTOMER]: 1 },
  { 'Ada Lovelace': { '4111111111111111': 2 } },
];

describe('what a removed part holds', () => {
  it.each(removed)('%j is found in a payload, in JSON within a text too, and stays if something kept has it', (value) => {
    const secrets = new Secrets();
    secrets.add(value);
    expect(secrets.heldBy({ turn: 'inv-7', call: { input: value } })).toBe(true);
    expect(secrets.heldBy({ text: JSON.stringify(value) })).toBe(true);
    secrets.forgive({ answer: value });
    expect(secrets.heldBy({ call: { input: value } })).toBe(false);
  });

  it('is not the names of its fields, which programs have chosen', () => {
    const secrets = new Secrets();
    secrets.add({ customer: 'Wilhelmina' });
    expect(secrets.heldBy({ customer: 'Bob' })).toBe(false);
  });

  it('ids in lines that stay are no secret; words are, also where such a line has them', () => {
    const secrets = new Secrets();
    secrets.add({ digest: KEY, at: TIME, note: 'Wilhelmina' });
    secrets.forgiveIds({ block: { digest: KEY, at: TIME, note: 'Wilhelmina' } });
    expect([KEY, TIME, 'Wilhelmina'].map((text) => secrets.heldBy(text))).toEqual([false, false, true]);
  });
});
