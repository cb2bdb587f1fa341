/** The note that the showcase writes, reads back, marks as read, and makes a report of. */
import { isJsonObject } from '../../../shared/json/json';
import { finite } from '../analyst/figures';
import { writeMemo } from '../analyst/memo';
import type { Order } from '../analyst/order';
import { objects } from '../conversation';
import type { Ledger, WantedCall } from '../call-ledger';
import { getWeather, listNotes, lookAt, QUERY, readBack, searchDocuments } from './calls';
import { quote, tokens } from './chain';

const DRAFT = 'Status: draft';

export const notePath = ({ ticker }: Order) => `/notes/${ticker.toLowerCase()}.md`;

/** The credit memo, and what else the showcase found. */
export function noteText(ledger: Ledger, order: Order, status = DRAFT): string {
  const beside = [weather(ledger), documents(ledger), swapQuote(ledger)].map((line) => `- ${line}`);
  return `${[writeMemo(ledger, order).body, ['## Beside the memo', ...beside].join('\n'), status].join('\n\n')}\n`;
}

/** A note of an earlier turn, which has to be read before it is replaced. */
export function earlierNote(ledger: Ledger, order: Order): WantedCall | undefined {
  const paths = ledger.data(listNotes)?.paths;
  return Array.isArray(paths) && paths.includes(notePath(order)) ? lookAt(notePath(order)) : undefined;
}

export function writeNote(ledger: Ledger, order: Order): WantedCall {
  const earlier = earlierNote(ledger, order);
  const sha256 = earlier && ledger.data(earlier)?.sha256;
  return {
    name: 'write_file',
    input: {
      path: notePath(order),
      content: noteText(ledger, order),
      ...(typeof sha256 === 'string' ? { expected_sha256: sha256 } : {}),
    },
  };
}

/** Marks in the note that it was read back, and whether it was as written. Undefined until it was read back. */
export function markNote(ledger: Ledger, order: Order): WantedCall | undefined {
  const back = ledger.data(readBack(notePath(order)));
  const status = readStatus(ledger, order);
  if (typeof back?.sha256 !== 'string' || status === undefined) return undefined;
  const input = { path: notePath(order), old_text: DRAFT, new_text: status, expected_sha256: back.sha256 };
  return { name: 'edit_file', input };
}

/** A report of the note after the edit; if the edit failed, of the draft. */
export function makeReport(ledger: Ledger, order: Order): WantedCall {
  const edit = markNote(ledger, order);
  const status = edit && ledger.data(edit) !== undefined ? readStatus(ledger, order) : undefined;
  return {
    name: 'generate_report',
    input: { title: `Notes on ${order.ticker}`, content: noteText(ledger, order, status), format: 'pdf' },
  };
}

function readStatus(ledger: Ledger, order: Order): string | undefined {
  const back = ledger.data(readBack(notePath(order)));
  if (typeof back?.content !== 'string') return undefined;
  const same = back.content === noteText(ledger, order);
  return `Status: read back, ${same ? 'as written' : 'not as it was written'}, ${String(back.total_lines)} lines`;
}

export function weather(ledger: Ledger): string {
  const data = ledger.data(getWeather);
  if (data === undefined) return 'The weather was not available.';
  const { temperature, unit, condition, location, observed_at } = data;
  return `${String(temperature)} ${unit === 'celsius' ? '°C' : String(unit)}, ${String(condition).toLowerCase()} in ${String(location)}, at ${String(observed_at)} there.`;
}

export function documents(ledger: Ledger): string {
  const data = ledger.data(searchDocuments);
  if (data === undefined) return 'The documents of the house were not available.';
  const total = isJsonObject(data.pagination) ? finite(data.pagination.total_count) : undefined;
  const first = objects(data.items)[0];
  const which = first === undefined ? '' : `; first "${String(first.title)}" (${String(first.path)})`;
  return `Documents of the house on ${QUERY}: ${total ?? 0}${which}.`;
}

export function swapQuote(ledger: Ledger): string {
  const quoteCall = quote(ledger);
  const data = quoteCall && ledger.data(quoteCall);
  const pair = tokens(ledger);
  if (data === undefined || pair === undefined) return 'There was no quote for a swap.';
  const [from, to] = pair;
  return `${String(data.amount_in)} units of ${from.symbol} would give ${String(data.amount_out)} of ${to.symbol}, ${String(data.simulated_min_out)} at least, by block ${String(data.block_number)} of ${String(data.as_of)}.`;
}
