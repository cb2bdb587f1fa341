import * as fc from 'fast-check';
import type { MessageCard } from '../../../src/cards/card';
import { boundedCard } from '../../../src/cards/message-card';

const card = (more: Partial<MessageCard>): MessageCard => ({
  ...{ kind: 'approval', agent: 'payables', call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' },
  ...{ digest: 'd'.repeat(64), expires_at: null },
  ...more,
});

it('a short card is whole in a message', () => {
  const short = card({ will_happen: 'Pays 5 EUR.', input: { cents: 500 } });
  expect(boundedCard(short)).toEqual(short);
});

it('of a long card the longest fields are left out, each whole, and it says which and how long they are', () => {
  const input = { body: 'x'.repeat(50_000) };
  const bounded = boundedCard(card({ will_happen: 'Sends it.', input, incomplete: 'The store is behind.' }));
  expect(bounded).toMatchObject({ will_happen: 'Sends it.' });
  expect(bounded).not.toHaveProperty('input');
  expect(bounded.incomplete).toMatch(/^The store is behind\. Too long for a message: input \(50011 characters\)\./);
});

it('whatever a card has, a message stays small, and each field is whole or missing', () => {
  const long = fc.string({ maxLength: 20_000, size: 'max' });
  fc.assert(
    fc.property(long, long, long, fc.array(long, { maxLength: 3 }), (will_happen, value, text, makers) => {
      const words = [{ from: 'requester' as const, by: 'rita', text, cut: false }];
      const whole = card({ will_happen, input: { value }, words, makers });
      const bounded = boundedCard(whole);
      expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(12_000);
      for (const name of ['will_happen', 'input', 'words', 'makers'] as const)
        if (name in bounded) expect(bounded[name]).toEqual(whole[name]);
        else expect(bounded.incomplete).toContain(name);
    }),
  );
});
