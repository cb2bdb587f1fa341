/**
 * Formats times, durations, amounts in dollars, names, quotations and short hashes for the report, and says whether the signature of a
 * decision was checked and is valid.
 */
import type { Json, JsonObject } from '../../shared/json/json';
import { visible } from '../../shared/text/visible';
import type { DecisionCase, Usage } from '../case-file';
import type { Signature } from '../case-file/signatures';
import { text } from '../../record/fields';

/** `2026-11-21 06:38:45.153 UTC`. */
export function when(at: string | null): string {
  return at === null ? 'at an unknown time' : `${at.slice(0, 10)} ${at.slice(11, 23)} UTC`;
}

export function ms(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}

export function between(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));
}

/** `27 ms`, `3.4 s`, `2 min 5 s`, `3 h 2 min`, `2 d 3 h`. */
export function duration(took: number | null): string {
  if (took === null) return 'unknown';
  if (took < 1000) return `${Math.round(took)} ms`;
  if (took < 60_000) return `${(took / 1000).toFixed(1)} s`;
  const seconds = Math.round(took / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function count(many: number, one: string, more = `${one}s`): string {
  return `${many} ${many === 1 ? one : more}`;
}

function dollars(usd: number): string {
  return usd === 0 ? '0 USD' : `${usd.toFixed(usd < 0.01 ? 6 : 4)} USD`;
}

/** A cost that is not known is not 0. */
export function costText({ costUsd, unpricedTokens }: Pick<Usage, 'costUsd' | 'unpricedTokens'>): string {
  if (unpricedTokens === 0) return dollars(costUsd);
  return costUsd === 0 ? 'unknown cost' : `${dollars(costUsd)} and an unknown cost`;
}

/** Somebody's name on one line: nothing invisible, at most 120 characters. */
export function name(of: string): string {
  const line = visible(of).replace(/\s+/g, ' ').trim();
  const cut = [...line].slice(0, 120).join('');
  return cut === '' ? '(no name)' : cut.length < line.length ? `${cut}…` : cut;
}

/** One line of somebody's text, in quotation marks. */
export function quote(content: string, most = 240): string {
  const line = visible(content).replace(/\s+/g, ' ').trim();
  const cut = [...line].slice(0, most).join('');
  return `“${cut}${cut.length < line.length ? '…' : ''}”`;
}

/** The beginning of a hash. */
export function short(hash: string | null): string {
  return hash === null ? 'unknown' : name(hash).slice(0, 12);
}

export function pretty(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** How sure it is that this person has said it. */
export function proof({
  claims,
  by,
  decision,
  signature,
  note,
}: Pick<DecisionCase, 'claims' | 'by' | 'decision' | 'signature' | 'note'>): string {
  if (decision === 'expired' || by === '') return '';
  if (signature === null) return NOT_PROVED;
  if (claims === null) return describeSignature(signature);
  return `signed with key ${name(text(claims.kid))}, ${SIGNATURE_WORDS[signature]}${beyondNote(claims, note)}`;
}

/** Said where the signature does not cover the note beside it. */
export function beyondNote(claims: JsonObject | null, note: Json): string {
  return claims !== null && claims.note_hash === undefined && note !== null && note !== '' ? ', note not signed' : '';
}

const NOT_PROVED = 'name as given, not proved';
const SIGNATURE_WORDS = { holds: 'checked', 'does not hold': 'which does not hold', 'not checked': 'not checked' } as const;

/** The same where the key is not told. */
export function describeSignature(signature: Signature): string {
  return signature === null ? NOT_PROVED : `signed, ${SIGNATURE_WORDS[signature]}`;
}
