/**
 * What the operator has configured: tokens by symbol, and ids of session keys. The tools' descriptions list them for the model,
 * because no tool does. Which tokens may be swapped is decided on the chain.
 */
import { isToolError, ToolError } from 'holdfast/tools';
import { addressOf } from './address';
import { ADDRESS_PATTERN } from './amounts';
import type { OnchainSettings, KnownToken } from './settings';

export interface KnownInputs {
  tokens: readonly KnownToken[];
  sessionKeyIds: readonly string[];
}

const SYMBOL = /^[A-Za-z0-9.$-]{1,16}$/;
/** More would make the tool's description too long. */
const MOST_TOKENS = 30;
const MOST_IDS = 10;
/** The chain's refusals for an address that the model should not have given. */
const WRONG_TOKEN = new Set(['no_pool', 'token_not_allowed']);

/** @throws Error that names the invalid token */
export function knownInputsOf(settings: OnchainSettings | null): KnownInputs {
  const { tokens = [], sessionKeys = {} } = settings ?? {};
  if (tokens.length > MOST_TOKENS) throw new Error(`${tokens.length} tokens are listed; ${MOST_TOKENS} are allowed.`);
  for (const [index, { symbol, address }] of tokens.entries()) {
    const what = `The token ${JSON.stringify(symbol)} of ${JSON.stringify(address)}`;
    if (!SYMBOL.test(symbol)) throw new Error(`${what} needs a symbol of 1 to 16 letters, digits and . $ -`);
    if (!ADDRESS_PATTERN.test(address)) throw new Error(`${what} needs an address: 0x and 40 hexadecimal characters.`);
    if (addressOf(address) === null) throw new Error(`${what} has a wrong checksum (EIP-55): a character may be wrong.`);
    if (tokens.slice(0, index).some((other) => other.symbol === symbol)) throw new Error(`${what} is listed twice.`);
  }
  const ids = typeof sessionKeys.get === 'function' ? (sessionKeys.ids ?? []) : Object.keys(sessionKeys);
  return { tokens, sessionKeyIds: (ids as readonly string[]).slice(0, MOST_IDS) };
}

/** A sentence with a leading space, to follow another one; empty if no tokens are known. */
export function knownTokens({ tokens }: KnownInputs): string {
  return tokens.length === 0 ? '' : ` Known: ${tokens.map(({ symbol, address }) => `${symbol} ${address}`).join(', ')}.`;
}

/** As `knownTokens`. */
export function knownSessionKeys({ sessionKeyIds }: KnownInputs): string {
  return sessionKeyIds.length === 0 ? '' : ` Known: ${sessionKeyIds.join(', ')}.`;
}

/** Awaits the work; if it is refused because of the token addresses, the error lists the known tokens. */
export async function withKnownTokensInHint<T>(inputs: KnownInputs, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isToolError(error) || !WRONG_TOKEN.has(error.detail.reason) || inputs.tokens.length === 0) throw error;
    const { code, reason, message, hint = '' } = error.detail;
    const { nothingHappened } = error;
    throw new ToolError(code, reason, message, { hint: `${hint}${knownTokens(inputs)}`, nothingHappened, cause: error });
  }
}
