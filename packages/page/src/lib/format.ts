/** Times, sums and states in words. */
import { isJsonObject, type Json, type JsonObject } from '../../../../src/shared/json/json';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time by its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < 2 * DAY) return `${Math.floor(length / HOUR)} h`;
  return `${Math.floor(length / DAY)} d`;
}

export function age(since: string | null | undefined, now: number): string | null {
  const at = Date.parse(since ?? '');
  return Number.isNaN(at) ? null : duration(now - at);
}

export interface Expiry {
  text: string;
  /** Less than an hour. */
  soon: boolean;
  over: boolean;
}

export function expiryOf(until: string | null, now: number): Expiry | null {
  const at = Date.parse(until ?? '');
  if (Number.isNaN(at)) return null;
  const left = at - now;
  return left <= 0 ? { text: 'expired', soon: true, over: true } : { text: duration(left), soon: left < HOUR, over: false };
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** In the reader's own time zone; the text itself if it is no time. */
export function when(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : TIME.format(at);
}

export function clock(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : SECONDS.format(at);
}

export function dollars(usd: number): string {
  return usd === 0 ? '0 USD' : `${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)} USD`;
}

/** A cost that is not known is not 0. */
export function costWords({ cost_usd, unpriced_tokens = 0 }: { cost_usd: number; unpriced_tokens?: number | undefined }): string {
  if (unpriced_tokens === 0) return dollars(cost_usd);
  return cost_usd === 0 ? 'unknown' : `${dollars(cost_usd)} and an unknown cost`;
}

const COUNT = new Intl.NumberFormat('en-US');
/** A sum that somebody approves is shown with all its digits. */
const EXACT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

export function count(number: number): string {
  return COUNT.format(number);
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// What a row of the inbox shows of an input. Only top-level fields with these names count; the card has the whole input.

const SUM_FIELDS = ['amount', 'total', 'sum', 'value', 'price', 'amount_eur', 'amount_usd'];
const CENT_FIELDS = ['cents', 'amount_cents', 'total_cents', 'amount_in_cents', 'amountCents'];
const PAYEE_FIELDS = ['payee', 'recipient', 'to', 'beneficiary', 'vendor', 'supplier', 'creditor', 'account', 'iban', 'address'];

export interface Sum {
  text: string;
  /** The field that it was read from. */
  field: string;
}

export function sumIn(input: JsonObject | undefined): Sum | null {
  if (input === undefined) return null;
  const currency = own(input, 'currency');
  const unit = typeof currency === 'string' && /^[A-Za-z]{3,5}$/.test(currency) ? ` ${currency.toUpperCase()}` : '';
  for (const field of CENT_FIELDS) {
    const value = own(input, field);
    if (typeof value === 'number' && Number.isSafeInteger(value)) return { text: `${cents(value)}${unit}`, field };
  }
  for (const field of SUM_FIELDS) {
    const value = own(input, field);
    if (typeof value === 'number') return { text: `${EXACT.format(value)}${unit}`, field };
    if (typeof value === 'string' && /^-?[\d.,' ]{1,30}$/.test(value)) return { text: `${value}${unit}`, field };
  }
  return null;
}

function cents(value: number): string {
  const whole = Math.trunc(Math.abs(value) / 100);
  return `${value < 0 ? '-' : ''}${COUNT.format(whole)}.${String(Math.abs(value) % 100).padStart(2, '0')}`;
}

export function payeeIn(input: JsonObject | undefined): string | null {
  if (input === undefined) return null;
  for (const field of PAYEE_FIELDS) {
    const value = own(input, field);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
}

function own(input: JsonObject, field: string): Json | undefined {
  return Object.hasOwn(input, field) ? input[field] : undefined;
}

interface HeadlineFacts {
  tool: string;
  question?: string | undefined;
  will_happen?: Json | undefined;
  input?: JsonObject | undefined;
}

/** What will happen, in one line: the beginning of the question or of the preview, else the tool with its input. */
export function headline({ question, will_happen: preview, tool, input }: HeadlineFacts): string {
  const text = question ?? preview;
  if (typeof text === 'string') {
    const [line = ''] = text.trim().split('\n');
    if (line !== '') return line;
  }
  if (preview !== null && preview !== undefined && typeof preview !== 'string') return `${tool}: ${compact(preview)}`;
  return input === undefined || Object.keys(input).length === 0 ? tool : `${tool}: ${compact(input)}`;
}

const LONGEST = 160;

function compact(value: Json): string {
  const text = isJsonObject(value)
    ? Object.entries(value)
        .map(([name, one]) => `${name} ${typeof one === 'string' ? one.replace(/\s+/g, ' ') : JSON.stringify(one)}`)
        .join(', ')
    : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

const STATE_WORDS: Record<string, string> = {
  running: 'running',
  awaiting_approval: 'waits for approval',
  awaiting_answer: 'waits for an answer',
  awaiting_completion: 'waits for a result',
  sleeping: 'sleeps',
  in_doubt: 'in doubt',
  completed: 'completed',
  refused: 'refused',
  cancelled: 'cancelled',
  failed: 'failed',
  limit: 'stopped at a limit',
};

export function stateInWords(state: string): string {
  return Object.hasOwn(STATE_WORDS, state) ? STATE_WORDS[state]! : state.replaceAll('_', ' ');
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
