/** A what-if of the gateway: it runs in a thread, which is ended when it takes too long. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS, whatIfInThread } from '../../../src/gateway/what-if';

const bundle = readFileSync(join(__dirname, '../../bundles/approval.jsonl'));
const refused = (wrong: object) => expect.objectContaining({ wrong: expect.objectContaining(wrong) as object }) as Error;

describe('a what-if', () => {
  it('tells what other rules would have decided, and what is wrong with a proposal', async () => {
    const view = await whatIfInThread({ bundle, proposal: { rules: '{"deny": ["pay"]}' } }, 'olga');
    expect(view.turns[0]!.calls[0]).toMatchObject({ was: { outcome: 'asked' }, would: { outcome: 'refused' } });
    for (const rules of ['{"deny": ["pay("]}', '- x', '{"deny": ["nothing"]}'])
      await expect(whatIfInThread({ bundle, proposal: { rules } }, 'olga')).rejects.toEqual(
        refused({ code: 'INVALID_PARAMS', reason: 'bad_proposal' }),
      );
  });

  it('is stopped when it takes too long, and the next one runs', async () => {
    const { ms } = LIMITS;
    const deny = Array.from({ length: 2000 }, (_, n) => ({ rule: 'pay', when: `input.invoice.matches("(a|b|c){${n % 900}}x")` }));
    const proposal = { rules: JSON.stringify({ deny }) };
    LIMITS.ms = 20;
    try {
      const stopped = refused({ code: 'INVALID_PARAMS', reason: 'what_if_too_slow' });
      await expect(whatIfInThread({ bundle, proposal }, 'olga')).rejects.toEqual(stopped);
    } finally {
      LIMITS.ms = ms;
    }
    expect(await whatIfInThread({ bundle, proposal: { limits: '{"steps": 1}' } }, 'olga')).toMatchObject({ agent: 'tester' });
  });
});
