/** Each fact that stands twice in a bundle, changed in one place. The second verifier: test/system/audit/verify/doubled.test.ts. */
import { verifyBundle } from '../../../../src/audit/verify';
import { FACTS, SOURCES, withChanged } from '../../../support/audit/doubled-facts';
import { forged } from '../../../support/audit/forge';
import { sample, TRUST } from '../../../support/bundle-keys';

describe('a fact changed in one place is found', () => {
  const absent: string[] = [];
  test.each(FACTS)('$name', async (fact) => {
    const bytes = await withChanged(fact);
    if (bytes === null) absent.push(fact.name);
    else expect(await verifyBundle([bytes], TRUST)).toMatchObject({ verdict: 'broken' });
  });

  test('most of them are there in a sample', () => {
    expect(FACTS.length - absent.length).toBeGreaterThan(100);
  });
});

test('each field of a record that a sample has is in its table', async () => {
  const missing: string[] = [];
  for (const [source, { of, table, record }] of Object.entries(SOURCES)) {
    forged(await sample(of), (lines) => {
      const unknown = Object.keys(record(lines)).filter((field) => !(field in table) && field !== 'subject');
      missing.push(...unknown.map((field) => `${source}: ${field}`));
    });
  }
  expect(missing).toEqual([]);
});
