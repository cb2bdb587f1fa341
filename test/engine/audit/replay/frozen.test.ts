import { replayed, BUNDLES, HISTORIES } from '../../../support/audit/replay/samples';

describe('replay', () => {
  it('passes every frozen history and every sample bundle: the present code sends the recorded commands', async () => {
    const all = await replayed([...HISTORIES, ...BUNDLES]);
    expect(all.length).toBeGreaterThanOrEqual(HISTORIES.length + BUNDLES.length);
    expect(all.filter(({ outcome }) => outcome !== 'same')).toEqual([]);
    expect(all.every(({ temporal }) => temporal === true)).toBe(true);
    const types = new Set(all.map(({ workflow_type }) => workflow_type));
    expect([...types].sort()).toEqual(['budget', 'call', 'callback', 'firing', 'intent', 'session', 'turn']);
  });
});
