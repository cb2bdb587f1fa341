import { inspect } from 'node:util';
import { sessionKeysFrom } from '../../../../packs/onchain/src';
import { errorOf } from './support';

const KEY = `0x${'a1'.repeat(32)}`;

describe('session keys', () => {
  it('are named by their id, and unknown ones are refused', async () => {
    const keys = sessionKeysFrom({ demo: KEY });
    expect((await keys.get('demo')).address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const { detail, nothingHappened } = await errorOf(keys.get('other'));
    expect(detail).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_session_key', hint: 'Known: demo.' });
    expect(nothingHappened).toBe(true);
    expect((await errorOf(sessionKeysFrom({}).get('toString'))).detail.hint).toMatch(/HOLDFAST_EVM_SESSION_KEYS/);
  });

  it('never show the private key: not when printed, and not in an error', async () => {
    const account = await sessionKeysFrom({ demo: KEY }).get('demo');
    expect(inspect(account, { depth: 10, showHidden: true })).not.toContain(KEY.slice(2));
    expect(JSON.stringify(account)).not.toContain(KEY.slice(2));
    for (const bad of [`0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`, KEY.slice(0, -2), 'hunter2']) {
      const make = () => sessionKeysFrom({ demo: bad });
      expect(make).toThrow(/Session key "demo" is no private key/);
      expect(make).not.toThrow(bad);
    }
  });
});
