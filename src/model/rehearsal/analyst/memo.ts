/**
 * Writes the credit memo. Every figure in it is copied or computed from results in the conversation, so that a wrong tool result
 * gives a visibly wrong memo. The memo lists what was not available.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../shared/json/json';
import { objects } from '../conversation';
import type { Ledger, WantedCall } from '../call-ledger';
import { getQuote, peerCompanies, priceHistory, ratioCard, searchFilings, searchNews } from './calls';
import { closes, expressionOf, finite, RATIOS, ratio, formatFigure } from './figures';
import type { Order } from './order';
import { calculation, listedPeers, mainFiling, newestFiling, peerStatistics, peers, section } from './plan';

/** How many characters of a filing's section are quoted. */
const EXCERPT = 280;

export interface Memo {
  subject: string;
  body: string;
}

export function writeMemo(ledger: Ledger, order: Order): Memo {
  const { ticker } = order;
  const others = peers(ledger, ticker);
  const filing = mainFiling(ledger, ticker);
  const parts = [
    `# Credit memo: ${ticker}`,
    'Composed in a rehearsal from tool results alone: figures, no judgement of a model or a person.',
    ['## Filings', ...filings(ledger, ticker)].join('\n'),
    ['## Ratios', ...ratioTable(ledger, ticker, others)].join('\n'),
    ['## Price', ...price(ledger, ticker)].join('\n'),
    ['## Against peers', ...comparison(ledger, order, others)].join('\n'),
    ['## From the filing', ...excerpts(ledger, ticker)].join('\n'),
    ['## Recent events', ...news(ledger, ticker)].join('\n'),
    ['## Not available', ...notAvailable(ledger, order, others)].join('\n'),
    ['## Sources', ...sources(ledger, order, others)].join('\n'),
  ];
  return {
    subject: `Credit memo ${ticker}${filing ? `, on its ${filing.form} of ${filing.date}` : ''}`,
    body: parts.join('\n\n'),
  };
}

function filings(ledger: Ledger, ticker: string): string[] {
  return ['10-K', '10-Q'].map((form) => {
    const filing = newestFiling(ledger, ticker, form);
    if (filing === undefined) return `- ${form}: none found`;
    return `- ${form} of ${filing.date}, period to ${filing.period ?? 'unknown'}, accession ${filing.accession ?? 'unknown'}`;
  });
}

function ratioTable(ledger: Ledger, ticker: string, others: string[]): string[] {
  const all = [ticker, ...others];
  const cards = all.map((name) => ledger.data(ratioCard(name)));
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(['', ...all]),
    row(['---', ...all.map(() => '---')]),
    ...RATIOS.map(([key, label, unit]) => row([label, ...cards.map((card) => formatFigure(ratio(card, key), unit))])),
    row(['Price in these', ...cards.map(priceCell)]),
    row(['Fiscal year to', ...cards.map((card) => (isJsonObject(card?.period) ? String(card.period.end ?? 'n/a') : 'n/a'))]),
  ];
}

/** The price that P/E and P/B were computed with. */
function priceCell(card: JsonObject | undefined): string {
  if (!isJsonObject(card?.price)) return 'n/a';
  return `${card.price.value} (${card.price.as_of})`;
}

function price(ledger: Ledger, ticker: string): string[] {
  const quote = ledger.data(getQuote(ticker));
  const value = finite(quote?.price);
  const lines: string[] = [];
  if (quote !== undefined && value !== undefined) {
    const marks = [quote.stale === true ? 'stale' : '', quote.adjusted === true ? 'adjusted' : ''].filter(Boolean);
    lines.push(`- Price ${value} ${quote.currency ?? 'USD'} as of ${quote.as_of}${marks.length ? ` (${marks.join(', ')})` : ''}`);
    if (typeof quote.note === 'string' && quote.note) lines.push(`- ${quote.note}`);
  }
  const year = closes(ledger, ticker);
  if (year !== undefined) {
    const change = formatFigure(year.last.close / year.first.close - 1, 'share');
    lines.push(
      `- ${year.count} closes: ${year.first.close} on ${year.first.date} to ${year.last.close} on ${year.last.date}, a change of ${change}`,
    );
  }
  return lines.length > 0 ? lines : ['- no price was available'];
}

function comparison(ledger: Ledger, order: Order, others: string[]): string[] {
  const lines: string[] = [];
  const expression = expressionOf(ledger, order.ticker, others);
  const sum = calculation(ledger, order);
  const result = sum && finite(ledger.data(sum)?.result);
  if (expression && result !== undefined) lines.push(`- ${expression.meaning}: ${expression.text} = ${result}`);
  const statistics = peerStatistics(ledger, order.ticker);
  const summary = statistics && ledger.data(statistics);
  if (summary !== undefined) {
    const share = (key: string) => formatFigure(finite(summary[key]), 'share');
    lines.push(`- net margins of ${summary.n} peers: mean ${share('mean')}, from ${share('min')} to ${share('max')}`);
  }
  return lines.length > 0 ? lines : ['- no comparison was possible'];
}

function excerpts(ledger: Ledger, ticker: string): string[] {
  return (['Financials', 'MD&A'] as const).map((name) => {
    const call = section(ledger, ticker, name);
    const text = call && ledger.data(call)?.text;
    if (typeof text !== 'string' || text.trim() === '') return `- ${name}: not available`;
    const flat = text.replace(/\s+/g, ' ').trim();
    return `- ${name}: "${flat.slice(0, EXCERPT)}${flat.length > EXCERPT ? '…' : ''}"`;
  });
}

function news(ledger: Ledger, ticker: string): string[] {
  const data = ledger.data(searchNews(ticker));
  const window = isJsonObject(data?.window) && data.window.to ? `, searched from ${data.window.from} to ${data.window.to}` : '';
  const items = objects(data?.items).slice(0, 5);
  const lines = items.map((item) => `- ${item.date}: ${item.title}${item.form ? ` (${item.form})` : ''}`);
  return lines.length > 0 ? [...lines, ...(window ? [`- ${lines.length} events${window}`] : [])] : [`- none found${window}`];
}

/** Every call of the plan, with its label. */
function everything(ledger: Ledger, order: Order, others: string[]): [string, WantedCall | undefined][] {
  const { ticker } = order;
  return [
    ['10-K search', searchFilings(ticker, '10-K')],
    ['10-Q search', searchFilings(ticker, '10-Q')],
    ['Financials', section(ledger, ticker, 'Financials')],
    ['MD&A', section(ledger, ticker, 'MD&A')],
    ['Peers', peerCompanies(ticker)],
    ...[ticker, ...others].map((name): [string, WantedCall] => [`Ratios of ${name}`, ratioCard(name)]),
    ['Quote', getQuote(ticker)],
    ['Price history', priceHistory(ticker)],
    ['Calculation', calculation(ledger, order)],
    ['Peer statistics', peerStatistics(ledger, ticker)],
    ['News', searchNews(ticker)],
  ];
}

function notAvailable(ledger: Ledger, order: Order, others: string[]): string[] {
  const lines = everything(ledger, order, others).flatMap(([what, call]): string[] => {
    if (call === undefined) return [`- ${what}: no figures to work with`];
    const outcome = ledger.outcome(call);
    if (!outcome.ok) return [`- ${what}: ${outcome.error.kind}: ${outcome.error.message}`];
    return objects(isJsonObject(outcome.data) ? outcome.data.missing : undefined).map(
      (gap) => `- ${what}, ${gap.ratio}: ${gap.reason}`,
    );
  });
  const bare = listedPeers(ledger, order.ticker).filter((peer) => !peer.figures);
  if (bare.length > 0) lines.push(`- Peers of which the source has no figures: ${bare.map((peer) => peer.ticker).join(', ')}`);
  return lines.length > 0 ? lines : ['- everything that was asked for was available'];
}

function sources(ledger: Ledger, order: Order, others: string[]): string[] {
  const lines = everything(ledger, order, others).flatMap(([what, call]): string[] => {
    const data = call && ledger.data(call);
    if (data === undefined || data.source === undefined || data.source === null) return [];
    return [`- ${what}: ${sourceText(data.source)}${asOf(data)}`];
  });
  return lines.length > 0 ? [...new Set(lines)] : ['- the results named none'];
}

function sourceText(source: Json): string {
  const text = typeof source === 'string' ? source : JSON.stringify(source);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}

function asOf(data: JsonObject): string {
  const date = data.as_of ?? data.date;
  return typeof date === 'string' ? `, as of ${date}` : '';
}
