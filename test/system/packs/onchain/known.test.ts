import { onchainTools, sessionKeysFrom, type OnchainSettings } from '../../../../packs/onchain/src';
import { errorOf, openStage, simulate, simulateInput, swap, swapInput, type Stage } from './support';

const AAA = { symbol: 'AAA', address: `0x${'a1'.repeat(20)}` };
const BBB = { symbol: 'BBB', address: `0x${'b2'.repeat(20)}` };
const KEY = `0x${'11'.repeat(32)}`;
const settings: OnchainSettings = { url: 'http://127.0.0.1:9/', chainId: 1, router: AAA.address, journal: '/unused' };

/** What the model is told of a field. */
function words(made: OnchainSettings, tool: string, field: string): string {
  const { input } = onchainTools(made).find(({ name }) => name === tool)! as { input: any };
  return (input.properties ?? input.shape)[field].description;
}

describe('the tokens and session keys that an operator names', () => {
  it('stand in the descriptions of the fields that take them', () => {
    const made = { ...settings, tokens: [AAA, BBB], sessionKeys: { treasury: KEY, demo: KEY } };
    for (const [tool, field] of [
      ['simulate_swap', 'from_token'],
      ['simulate_swap', 'to_token'],
      ['swap_token', 'from_token'],
      ['swap_token', 'to_token'],
    ] as const) {
      expect(words(made, tool, field)).toContain(`Known: AAA ${AAA.address}, BBB ${BBB.address}.`);
    }
    expect(words(made, 'swap_token', 'session_key_id')).toContain('Known: treasury, demo.');
    expect(words({ ...made, sessionKeys: sessionKeysFrom({ ops: KEY }) }, 'swap_token', 'session_key_id')).toContain(
      'Known: ops.',
    );
  });

  it('never bring a private key into the words of a tool', () => {
    const made = onchainTools({ ...settings, tokens: [AAA], sessionKeys: { treasury: KEY } });
    expect(JSON.stringify(made)).not.toContain(KEY.slice(2, 20));
  });

  it('are not mentioned where none are named', () => {
    const keys = { get: () => Promise.reject(new Error('unused')) };
    for (const [tool, field] of [
      ['simulate_swap', 'from_token'],
      ['swap_token', 'session_key_id'],
    ] as const) {
      expect(words(settings, tool, field)).not.toContain('Known');
      expect(words({ ...settings, sessionKeys: keys }, tool, field)).not.toContain('Known');
    }
  });

  it.each([
    [[{ ...AAA, symbol: 'no spaces' }], /"no spaces" of .* needs a symbol of 1 to 16/],
    [[{ ...AAA, address: '0x12' }], /"AAA" of "0x12" needs an address/],
    [[AAA, { ...BBB, symbol: 'AAA' }], /"AAA" of .* is listed twice/],
    [Array.from({ length: 31 }, (_, index) => ({ ...AAA, symbol: `T${index}` })), /31 tokens are listed; 30 are allowed/],
  ])('are checked: %#', (tokens, fault) => {
    expect(() => onchainTools({ ...settings, tokens })).toThrow(fault);
  });

  describe('on a chain', () => {
    let stage: Stage;
    beforeAll(async () => void (stage = await openStage()));
    afterAll(() => stage?.close());

    it('are named by the error about a token that has no pool', async () => {
      const wrong = { to_token: `0x${'12'.repeat(20)}` };
      const made = { ...stage.settings, tokens: [AAA] };
      for (const work of [simulate(made, simulateInput(stage, wrong)), swap(made, swapInput(stage, wrong))]) {
        const { detail, nothingHappened } = await errorOf(work);
        expect(detail.hint).toContain(`Known: AAA ${AAA.address}.`);
        expect(nothingHappened).toBe(true);
      }
      expect((await errorOf(simulate(stage.settings, simulateInput(stage, wrong)))).detail.hint).not.toContain('Known');
    });
  });
});
