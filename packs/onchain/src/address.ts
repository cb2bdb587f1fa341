/** Addresses as people and models write them. Capital letters among small ones are a checksum (EIP-55). */
import { type CheckFault, ToolError } from 'holdfast/tools';
import { ADDRESS_PATTERN } from './amounts';
import type { Address } from './hex';
import { viem } from './viem';

/** The address as viem takes it; null if the text is none, or if its checksum is wrong. */
export function addressOf(text: string): Address | null {
  if (!ADDRESS_PATTERN.test(text)) return null;
  const lower = text.toLowerCase() as Address;
  if (text === lower || text.slice(2) === lower.slice(2).toUpperCase()) return lower;
  return viem().isAddress(text) ? text : null;
}

/** As `addressOf`. @throws ToolError `wrong_checksum` */
export function tokenAddress(text: string): Address {
  const address = addressOf(text);
  if (address !== null) return address;
  const { reason, message, hint } = wrongChecksum(text);
  throw new ToolError('INVALID_PARAMS', reason, message, { hint, nothingHappened: true });
}

export function wrongChecksum(text: string) {
  return {
    reason: 'wrong_checksum',
    message: `The checksum of the address ${text} is wrong, which is the case of its letters (EIP-55): a character may be wrong.`,
    hint: 'Copy the address again from where it stands.',
  } satisfies CheckFault;
}
