/** Whoever has no key changes nothing unseen: thousands of changes over bundles of every kind, each found at its line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '../../../../src/audit/verify';
import { SAMPLES, TRUST } from '../../../support/bundle-keys';
import { mutations } from '../support/mutations';

const samples = readdirSync(SAMPLES).filter((name) => name.endsWith('.jsonl'));

describe.each(samples)('%s', (name) => {
  const bundle = readFileSync(join(SAMPLES, name));

  test('as it is, nothing contradicts anything', async () => {
    const { verdict, line, rule, why, redactions, unchecked_decisions } = await verifyBundle([bundle], TRUST);
    expect({ verdict, line, rule, why, redactions, unchecked_decisions }).toEqual({
      verdict: 'intact',
      line: null,
      rule: null,
      why: '',
      redactions: 0,
      unchecked_decisions: 0,
    });
  });

  test('each change is found, at its line', async () => {
    const missed: string[] = [];
    let count = 0;
    for (const { name: change, bytes, lines } of mutations(bundle)) {
      const { verdict, line } = await verifyBundle([bytes], TRUST);
      if (verdict !== 'broken' || !lines.includes(line!)) missed.push(`${change}: ${verdict} at ${line}, not ${lines.join()}`);
      count += 1;
    }
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });
});
