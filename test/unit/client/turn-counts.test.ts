/** How many turns wait for each reader of the inbox. */
import fc from 'fast-check';
import { TurnCounts } from '../../../src/client/approvals/turn-counts';
import { isVisible, tenantOf, type Visibility } from '../../../src/client/turns/listing';

const names = fc.constantFrom('rita', 'acme/rita', 'acme/ned', 'acme', 'acme2/eve', 'globex/acme/rita', '/x', 'a/b/c', 'all', '');
const sights: Visibility[] = [
  'all',
  ...['acme', 'acme2', 'globex', 'globex/acme', '', 'a', 'a/b'].map((tenant) => ({ tenant })),
  ...['rita', 'acme/rita', 'acme', 'all', '', 'a/b/c'].map((requester) => ({ requester })),
];

it('each reader is told as many turns as it may see, whatever is added and removed', () => {
  const change = fc.record({ requester: names, isRead: fc.boolean(), leaves: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const counts = new TurnCounts();
      for (const { requester } of changes) counts.add(requester, { total: 1, done: 0 });
      for (const { requester, isRead } of changes) counts.add(requester, { total: 0, done: isRead ? 1 : 0 });
      for (const { requester, isRead, leaves } of changes)
        if (leaves) counts.add(requester, { total: -1, done: isRead ? -1 : 0 });
      for (const sight of sights) {
        const seen = changes.filter(({ requester, leaves }) => !leaves && isVisible(sight, requester));
        expect(counts.of(sight)).toEqual({ total: seen.length, done: seen.filter(({ isRead }) => isRead).length });
      }
    }),
  );
});

it('a tenant is what stands before the first slash', () => {
  expect(['acme/rita', 'rita', '/x', 'a/b/c', ''].map(tenantOf)).toEqual(['acme', '', '', 'a', '']);
});
