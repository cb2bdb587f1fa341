/** The calls for a quote and a swap. The tools' own descriptions name the tokens and session keys. */
import { isJsonObject, type JsonObject } from '../../../shared/json/json';
import type { Ledger, WantedCall } from '../call-ledger';

/** One unit of a token with 18 decimals, as most have. */
const AMOUNT = 10n ** 18n;
const SLIPPAGE_BPS = 50;
/** Time from the quote to the deadline, in which a person reads and decides, seconds. The tool allows an hour. */
const DEADLINE_SECONDS = 1800;

export interface Token {
  symbol: string;
  address: string;
}

/** The two tokens to swap. If the tool lists none, those of its own example: its error then says what it lacks. */
export function tokens(ledger: Ledger): [Token, Token] | undefined {
  const pairs = [...fieldWords(ledger, 'simulate_swap', 'from_token').matchAll(/([\w.$-]{1,16}) (0x[0-9a-fA-F]{40})/g)];
  const [from, to] = pairs.map(([, symbol, address]) => ({ symbol: symbol!, address: address! }));
  if (from && to) return [from, to];
  const examples = new Set(ledger.tool('simulate_swap')?.description.match(/0x[0-9a-fA-F]{40}/g));
  const [sold, bought] = [...examples].map((address) => ({ symbol: address, address }));
  return sold && bought ? [sold, bought] : undefined;
}

export function quote(ledger: Ledger): WantedCall | undefined {
  const pair = tokens(ledger);
  if (pair === undefined) return undefined;
  const [from, to] = pair;
  return {
    name: 'simulate_swap',
    input: {
      from_token: from.address,
      to_token: to.address,
      amount_in: AMOUNT.toString(),
      max_slippage_bps: SLIPPAGE_BPS,
    },
  };
}

/** Undefined without a quote, or without a session key. The deadline is counted from the quote: the player has no clock. */
export function swap(ledger: Ledger): WantedCall | undefined {
  const quoteCall = quote(ledger);
  const data = quoteCall && ledger.data(quoteCall);
  const key = sessionKey(ledger);
  const asOf = typeof data?.as_of === 'string' ? Date.parse(data.as_of) : NaN;
  if (!quoteCall || typeof data?.simulated_min_out !== 'string' || key === undefined || Number.isNaN(asOf)) return undefined;
  return {
    name: 'swap_token',
    input: {
      ...quoteCall.input,
      deadline_ts: Math.floor(asOf / 1000) + DEADLINE_SECONDS,
      session_key_id: key,
      simulated_min_out: data.simulated_min_out,
    },
  };
}

function sessionKey(ledger: Ledger): string | undefined {
  return /\bKnown: ([a-z0-9_-]+)/.exec(fieldWords(ledger, 'swap_token', 'session_key_id'))?.[1];
}

/** The description of one field in a tool's schema. */
function fieldWords(ledger: Ledger, tool: string, field: string): string {
  const properties = ledger.tool(tool)?.schema.properties;
  const schema: JsonObject = isJsonObject(properties) && isJsonObject(properties[field]) ? properties[field] : {};
  return typeof schema.description === 'string' ? schema.description : '';
}
