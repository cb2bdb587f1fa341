/** Each fact that a bundle records twice, changed in one place. The second verifier: test/system/audit/verify/repeated-facts.test.ts. */
import { verifyBundle } from '../../../../src/audit/verify';
import { FACTS, factOf, recordIn, SOURCES, TABLES, withChanged } from '../../../support/audit/repeated-facts';
import { IN_NO_SAMPLE } from '../../../support/audit/in-no-sample';
import { everyNth } from '../../../support/runs';
import { forged } from '../../../support/audit/forge';
import { sample, TRUST } from '../../../support/bundle-keys';

describe('a fact changed in one place is found', () => {
  const there = new Set<string>();
  test.each(everyNth(FACTS, 4))('$name', async (fact) => {
    const bytes = await withChanged(fact);
    if (bytes === null) return; // of this source; the next test asks for one that has it
    there.add(factOf(fact));
    expect(await verifyBundle([bytes], TRUST)).toMatchObject({ verdict: 'broken' });
  });

  test('each fact is in a sample, except those that are listed', async () => {
    for (const fact of FACTS) if (!there.has(factOf(fact)) && (await withChanged(fact)) !== null) there.add(factOf(fact));
    const absent = new Set(FACTS.map(factOf).filter((fact) => !there.has(fact)));
    expect([...absent].sort()).toEqual([...IN_NO_SAMPLE].sort());
  });
});

test('each table has a source', () => {
  const used = new Set(Object.values(SOURCES).map(({ table }) => table));
  expect(Object.keys(TABLES).filter((name) => !used.has(TABLES[name]!))).toEqual([]);
});

test('each field of a record that a sample has is in its table', async () => {
  const missing: string[] = [];
  for (const [source, { of, table, record }] of Object.entries(SOURCES)) {
    forged(await sample(of), (lines) => {
      const unknown = Object.keys(recordIn({ record }, lines) as object).filter(
        (field) => !(field in table) && field !== 'subject',
      );
      missing.push(...unknown.map((field) => `${source}: ${field}`));
    });
  }
  expect(missing).toEqual([]);
});
