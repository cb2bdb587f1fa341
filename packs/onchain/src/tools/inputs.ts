/** Input fields that the onchain tools share, and the checks of their addresses and amounts. */
import { z } from 'zod';
import { addressOf, wrongChecksum } from '../address';
import { knownTokens, type KnownInputs } from '../known-inputs';
import { ADDRESS_PATTERN, AMOUNT_PATTERN, fitsUint256 } from '../amounts';
import type { CheckFault } from 'holdfast/tools';

export const token = (which: string, inputs: KnownInputs) =>
  z
    .string()
    .regex(ADDRESS_PATTERN)
    .describe(`Contract address of the token ${which}: 0x and 40 hexadecimal characters.${knownTokens(inputs)}`);

export const amount = (what: string) =>
  z
    .string()
    .regex(AMOUNT_PATTERN)
    .describe(`${what}, a whole number in the token's smallest unit, as text: no point, no sign, no leading zero`);

export const slippage = z
  .number()
  .int()
  .min(1)
  .max(500)
  .describe('How much worse than quoted the swap may be, in basis points: 50 is 0.5 %');

/** Checks that no pattern can express. */
export function checkPair(input: { from_token: string; to_token: string; amount_in: string }): CheckFault | undefined {
  if (input.from_token.toLowerCase() === input.to_token.toLowerCase()) {
    return { reason: 'same_token', message: 'from_token and to_token are the same.', hint: 'Name two tokens.' };
  }
  const wrong = [input.from_token, input.to_token].find((text) => addressOf(text) === null);
  if (wrong !== undefined) return wrongChecksum(wrong);
  if (!fitsUint256(input.amount_in)) {
    return { reason: 'amount_too_large', message: `amount_in ${input.amount_in} is 2^256 or more.`, hint: 'Swap less.' };
  }
  return undefined;
}
