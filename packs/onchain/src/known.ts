/**
 * What the operator says is there: tokens by symbol, and the ids of session keys. The model is told, since no tool
 * lists them; what may be swapped stands on the chain all the same.
 */
import { isToolError, ToolError } from 'holdfast/tools';
import { ADDRESS_PATTERN } from './amounts';
import type { OnchainSettings, KnownToken } from './settings';

export interface KnownInputs {
  tokens: readonly KnownToken[];
  sessionKeyIds: readonly string[];
}

const SYMBOL = /^[A-Za-z0-9.$-]{1,16}$/;
/** More than these would fill the tool's description. */
const MOST_TOKENS = 30;
const MOST_IDS = 10;
/** What the chain answers to an address that it was not meant to be given. */
const WRONG_TOKEN = new Set(['no_pool', 'token_not_allowed']);

/** @throws Error that names the token that is wrong */
export function knownOf(settings: OnchainSettings | null): KnownInputs {
  const { tokens = [], sessionKeys = {} } = settings ?? {};
  if (tokens.length > MOST_TOKENS) throw new Error(`${tokens.length} tokens are listed; ${MOST_TOKENS} are allowed.`);
  for (const [index, { symbol, address }] of tokens.entries()) {
    const what = `The token ${JSON.stringify(symbol)} of ${JSON.stringify(address)}`;
    if (!SYMBOL.test(symbol)) throw new Error(`${what} needs a symbol of 1 to 16 letters, digits and . $ -`);
    if (!ADDRESS_PATTERN.test(address)) throw new Error(`${what} needs an address: 0x and 40 hexadecimal characters.`);
    if (tokens.slice(0, index).some((other) => other.symbol === symbol)) throw new Error(`${what} is listed twice.`);
  }
  const ids = typeof sessionKeys.get === 'function' ? (sessionKeys.ids ?? []) : Object.keys(sessionKeys);
  return { tokens, sessionKeyIds: (ids as readonly string[]).slice(0, MOST_IDS) };
}

/** A sentence that begins with a space, to follow another; empty where nothing is known. */
export function knownTokens({ tokens }: KnownInputs): string {
  return tokens.length === 0 ? '' : ` Known: ${tokens.map(({ symbol, address }) => `${symbol} ${address}`).join(', ')}.`;
}

/** As `knownTokens`. */
export function knownSessionKeys({ sessionKeyIds }: KnownInputs): string {
  return sessionKeyIds.length === 0 ? '' : ` Known: ${sessionKeyIds.join(', ')}.`;
}

/** Does the work; a refusal that is about the addresses names those that are known. */
export async function namingKnownTokens<T>(known: KnownInputs, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isToolError(error) || !WRONG_TOKEN.has(error.detail.reason) || known.tokens.length === 0) throw error;
    const { code, reason, message, hint = '' } = error.detail;
    const { nothingHappened } = error;
    throw new ToolError(code, reason, message, { hint: `${hint}${knownTokens(known)}`, nothingHappened, cause: error });
  }
}
