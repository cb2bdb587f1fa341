/** Both kinds of store meet the contract that `testStore` checks for a user's own store. */
import { openStore } from '../../../src/store/open-store';
import { testStore } from '../../../src/testing';
import { ringOf, ringService } from '../../support/encryption/ring';
import { overEachKind } from './support/kinds';

jest.setTimeout(60_000);

overEachKind((fresh) => {
  test('a store of ours keeps the contract', async () => {
    const place = await fresh();
    const { claims } = await testStore(() => place.open());
    expect(claims.filter(({ held }) => !held)).toEqual([]);
    expect(claims.length).toBeGreaterThan(15);
  });

  test('so does one whose content is encrypted', async () => {
    const { url } = await fresh();
    const { keys } = await ringService(ringOf('one'));
    const { claims } = await testStore(() => openStore(url, keys));
    expect(claims.filter(({ held }) => !held)).toEqual([]);
  });
});
