/**
 * The credit analyst's plan: which calls each stage makes, as a function of the order and of the results that are known by then.
 * The memo finds results through the same functions.
 */
import { getOwn, isJsonObject, type JsonObject } from '../../../shared/json/json';
import { objects } from '../conversation';
import type { Ledger, Stage, WantedCall } from '../call-ledger';
import { peerCompanies, getQuote, priceHistory, ratioCard, searchFilings, searchNews } from './calls';
import { expressionOf, margin } from './figures';
import type { Order } from './order';

/** Peers that the memo compares with. */
const MAX_PEERS = 3;

/** The newest filing of a form among the search's results, or undefined. */
export function newestFiling(ledger: Ledger, ticker: string, form: string): JsonObject | undefined {
  return objects(ledger.data(searchFilings(ticker, form))?.filings)
    .filter((filing) => filing.form === form && typeof filing.date === 'string')
    .sort((a, b) => String(b.date).localeCompare(String(a.date)))[0];
}

/** The filing that the memo uses: the newest annual report, else the newest quarterly one. */
export function mainFiling(ledger: Ledger, ticker: string): JsonObject | undefined {
  return newestFiling(ledger, ticker, '10-K') ?? newestFiling(ledger, ticker, '10-Q');
}

export function section(ledger: Ledger, ticker: string, name: 'Financials' | 'MD&A'): WantedCall | undefined {
  const filing = mainFiling(ledger, ticker);
  if (filing === undefined) return undefined;
  return { name: 'fetch_filing_section', input: { ticker, form: filing.form!, date: filing.date!, section: name } };
}

/** Peers to compare with: those with figures in the source, if it says which have some. */
export function peers(ledger: Ledger, ticker: string): string[] {
  return listedPeers(ledger, ticker)
    .filter((peer) => peer.figures)
    .slice(0, MAX_PEERS)
    .map((peer) => peer.ticker);
}

/** Every peer in the result, and whether the source has figures of it. */
export function listedPeers(ledger: Ledger, ticker: string): { ticker: string; figures: boolean }[] {
  const data = ledger.data(peerCompanies(ticker));
  const names = Array.isArray(data?.peers) ? data.peers.filter((peer): peer is string => typeof peer === 'string') : [];
  const coverage = isJsonObject(data?.data_here) ? data.data_here : {};
  const has = (peer: string) => {
    const kinds = getOwn(coverage, peer);
    return !Array.isArray(kinds) || kinds.includes('facts');
  };
  return [...new Set(names)].filter((peer) => peer !== ticker).map((peer) => ({ ticker: peer, figures: has(peer) }));
}

export function calculation(ledger: Ledger, order: Order): WantedCall | undefined {
  const expression = expressionOf(ledger, order.ticker, peers(ledger, order.ticker));
  return expression && { name: 'calculate', input: { expression: expression.text } };
}

export function peerStatistics(ledger: Ledger, ticker: string): WantedCall | undefined {
  const values = peers(ledger, ticker).flatMap((peer) => margin(ledger, peer) ?? []);
  return values.length === 0 ? undefined : { name: 'stats_summary', input: { values } };
}

/** The plan, stage by stage; the calls of one stage are made together. */
export function stages({ ticker, ...order }: Order): Stage[] {
  return [
    {
      narration: `I look up which annual and quarterly reports ${ticker} has filed.`,
      calls: () => [searchFilings(ticker, '10-K'), searchFilings(ticker, '10-Q')],
    },
    {
      narration: `I read the financial statements and the management's discussion, and ask who the peers are.`,
      calls: (ledger) => [section(ledger, ticker, 'Financials'), section(ledger, ticker, 'MD&A'), peerCompanies(ticker)],
    },
    {
      narration: `I get the ratios of ${ticker} and its peers, the price, and a year of closing prices.`,
      calls: (ledger) => [ratioCard(ticker), ...peers(ledger, ticker).map(ratioCard), getQuote(ticker), priceHistory(ticker)],
    },
    {
      narration: 'I compare the figures, and look for recent events.',
      calls: (ledger) => [calculation(ledger, { ticker, ...order }), peerStatistics(ledger, ticker), searchNews(ticker)],
    },
  ];
}
