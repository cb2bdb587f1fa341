import { onchainTools, type OnchainSettings } from '../../../../packs/onchain/src';
import { tokenAddress } from '../../../../packs/onchain/src/address';
import { isToolError } from '../../../../src/tools/define/errors';

const SOUND = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const LOWER = SOUND.toLowerCase();
const UPPER = `0x${SOUND.slice(2).toUpperCase()}`;
/** A capital letter that should be a small one, and another digit. */
const WRONG = [`${SOUND.slice(0, -2)}A3`, `${SOUND.slice(0, -1)}4`];
const OTHER = `0x${'11'.repeat(20)}`;

const settings: OnchainSettings = { url: 'http://node/', chainId: 1, router: OTHER, journal: '/unused' };
const input = {
  ...{ from_token: OTHER, to_token: OTHER, amount_in: '1', max_slippage_bps: 50 },
  ...{ deadline_ts: Math.floor(Date.now() / 1000) + 600, session_key_id: 'demo', simulated_min_out: '1' },
};

describe('the address of a token', () => {
  it.each([SOUND, LOWER, UPPER])('is taken with its checksum, and without one: %s', (text) => {
    expect(tokenAddress(text)).toBe(text === SOUND ? SOUND : LOWER);
    for (const { check } of onchainTools(settings)) {
      expect(check!({ ...input, from_token: text })).toBeUndefined();
      expect(check!({ ...input, to_token: text })).toBeUndefined();
    }
  });

  it.each(WRONG)('is refused with a wrong checksum: %s', (text) => {
    const fault = { reason: 'wrong_checksum', message: expect.stringContaining(`The checksum of the address ${text} is wrong`) };
    for (const { check } of onchainTools(settings)) {
      expect(check!({ ...input, from_token: text })).toMatchObject(fault);
      expect(check!({ ...input, to_token: text })).toMatchObject(fault);
    }
    try {
      throw new Error(tokenAddress(text));
    } catch (error) {
      expect(isToolError(error) && [error.nothingHappened, error.detail]).toMatchObject([
        true,
        { code: 'INVALID_PARAMS', ...fault },
      ]);
    }
  });
});

describe('an address of the settings', () => {
  it.each([SOUND, LOWER, UPPER])('is taken with its checksum, and without one: %s', (text) => {
    expect(() => onchainTools({ ...settings, router: text, tokens: [{ symbol: 'AAA', address: text }] })).not.toThrow();
  });

  it.each(WRONG)('stops the start with a wrong checksum: %s', (text) => {
    expect(() => onchainTools({ ...settings, router: text })).toThrow(
      `The router "${text}" is no address, or its checksum is wrong`,
    );
    const tokens = [{ symbol: 'AAA', address: text }];
    expect(() => onchainTools({ ...settings, tokens })).toThrow(`The token "AAA" of "${text}" has a wrong checksum`);
  });
});
