/** A model's input of the onchain tools is so short that it takes no time to compute with: no field accepts a long text. */
import { onchainTools } from '../../../../packs/onchain/src';

const LONGEST = 78;
const texts = ['1', 'a', '0', 'f', '\u0661'].flatMap((one) => [one.repeat(LONGEST + 1), `0x${one.repeat(LONGEST)}`]);
const OTHERS = [1e12, 2 ** 53, Infinity, -1, ['1'], { a: '1' }, null, true];

interface Field {
  safeParse(value: unknown): { success: boolean };
}
const fields = onchainTools(null).flatMap(({ name, input }) =>
  Object.entries((input as unknown as { shape: Record<string, Field> }).shape).map(
    ([field, schema]) => [`${name}.${field}`, schema] as const,
  ),
);

describe('an input of the onchain tools', () => {
  it(`has eleven fields, each a number below 10^11 or a text of ${LONGEST} characters at most`, () => {
    expect(fields).toHaveLength(11);
    const taken = fields.map(([name, schema]) => [
      name,
      [...texts, ...OTHERS].filter((value) => schema.safeParse(value).success),
    ]);
    expect(taken).toEqual(fields.map(([name]) => [name, []]));
  });

  it('at its greatest length is checked by comparing whole numbers of 78 digits', () => {
    const amount = '9'.repeat(LONGEST);
    const longest = {
      amount_in: amount,
      simulated_min_out: amount,
      from_token: `0x${'f'.repeat(40)}`,
      to_token: `0x${'e'.repeat(40)}`,
    };
    const input = { ...longest, max_slippage_bps: 500, deadline_ts: 99_999_999_999, session_key_id: 'a'.repeat(64) };
    expect(fields.every(([name, schema]) => schema.safeParse(input[name.split('.')[1] as keyof typeof input]).success)).toBe(
      true,
    );
    for (const tool of onchainTools(null)) expect(tool.check!(input)).toMatchObject({ reason: 'amount_too_large' });
  });
});
