/**
 * The interfaces of the four providers that the finance tools read, with their types. Each provider can be replaced alone. The
 * embedded snapshot implements all four (snapshot.ts), live EDGAR those for which EDGAR has data (edgar/).
 *
 * Every method throws ToolError RESOURCE_NOT_FOUND for data that the source lacks, with a hint that names what the source has; a
 * provider never fills a gap with an estimate. Dates are `YYYY-MM-DD`. `signal` aborts when the call is cancelled or its time is
 * up: the provider then rejects with the signal's reason.
 */
import type { SectionName, SectionText } from './sections';

export type Form = '10-K' | '10-Q' | '8-K' | 'S-1';

export interface Company {
  ticker: string;
  name: string;
  /** Other names that people search for. */
  aliases: string[];
  /** SEC's central index key, ten digits. */
  cik: string;
  /** Standard industrial classification; null where the source has none. */
  sic: string | null;
  sicDescription: string | null;
}

export interface Filing {
  form: Form;
  /** Filing date. */
  date: string;
  accession: string;
  /** End of the period that it reports; for an 8-K the date of the event. */
  period: string;
  /** 8-K item codes, e.g. `2.02`; empty for other forms. */
  items: string[];
  /** File name of its main document, where the source has documents. */
  document?: string;
}

/** Conditions for filings; each field narrows the result. */
export interface FilingQuery {
  form?: Form;
  /** Filing date. */
  date?: string;
  /** A source that reads its index page by page stops at this number of filings. Default: all. */
  enough?: number;
}

export interface FilingIndex {
  ticker: string;
  /** Newest first. */
  filings: Filing[];
  /** Date up to which the index is complete for periodic reports. */
  asOf: string;
  /** Date up to which it is complete for 8-Ks; null if it has none. */
  eventsAsOf: string | null;
  /** Filing date back to which the index was read; null: to its beginning. */
  since: string | null;
  source: string;
}

export interface Fact {
  /** The name that the source gives it: a us-gaap tag, or the data set's label. */
  concept: string;
  unit: 'USD' | 'USD/shares' | 'shares';
  value: number;
  /** Null for a balance at `end`. */
  start: string | null;
  end: string;
}

/** The facts of one 10-K or 10-Q, for its own period and for the period that it compares with. */
export interface Report {
  accession: string;
  form: '10-K' | '10-Q';
  filed: string;
  fiscalYear: number;
  /** `FY`, `Q1`, `Q2` or `Q3`. */
  fiscalPeriod: string;
  /** Balance sheet date. */
  end: string;
  facts: Fact[];
}

/** A share split: EPS filed up to `after` is in old shares, from `by` on in new ones. */
export interface Split {
  /** New shares for an old one; 1/10 is a reverse split of 1-for-10. */
  factor: number;
  after: string;
  by: string;
  evidence: string;
}

export interface CompanyFacts {
  ticker: string;
  /** Newest first. */
  reports: Report[];
  splits: Split[];
  source: string;
}

/** A closing price, US dollars. */
export interface Close {
  date: string;
  close: number;
}

export interface PriceSeries {
  ticker: string;
  /** At month ends, oldest first; the date of the last may lie within its month. */
  rows: Close[];
  /** Of each trading day of the last year, oldest first; absent where the source has month ends only. */
  days?: Close[];
  /** Adjusted for splits and dividends that came after each date. */
  adjusted: boolean;
  /** Date of the last price. */
  asOf: string;
  note: string | null;
  source: string;
}

export interface Peers {
  ticker: string;
  peers: string[];
  basis: string;
  source: string;
}

/** A section as the company filed it. */
export interface FiledSection extends SectionText {
  source: string;
}

/** The companies that a search text is about. */
export interface NamedCompanies {
  /** The companies that the text names. */
  named: Company[];
  /** The companies to search: the named ones. If none is named: all companies of a source that is small enough, or none. */
  searched: Company[];
  /** Companies whose name may be part of another company's name in the text. They are not searched. */
  unclear?: Company[];
  /** The other words of the text, as written. */
  words: string[];
}

/** Filings, their facts and their sections. */
export interface FilingsProvider {
  /** @throws ToolError RESOURCE_NOT_FOUND `ticker_not_found` */
  company(ticker: string, signal?: AbortSignal): Promise<Company>;
  companiesNamedIn(text: string, signal?: AbortSignal): Promise<NamedCompanies>;
  /** @throws ToolError RESOURCE_NOT_FOUND `ticker_not_found` */
  filings(ticker: string, query?: FilingQuery, signal?: AbortSignal): Promise<FilingIndex>;
  /** @throws ToolError RESOURCE_NOT_FOUND `ticker_not_found`, `no_facts_for_ticker` */
  facts(ticker: string, signal?: AbortSignal): Promise<CompanyFacts>;
  /**
   * A section of a 10-K or 10-Q as filed; null: this source has figures but no documents.
   * @throws ToolError RESOURCE_NOT_FOUND `section_not_found`, `document_not_found`
   */
  section(ticker: string, filing: Filing, section: SectionName, signal?: AbortSignal): Promise<FiledSection | null>;
  /** The kinds of data that the source has for a ticker; empty if none. Never throws for an unknown ticker. */
  coverage(ticker: string, signal?: AbortSignal): Promise<('filings' | 'facts')[]>;
}

export interface MarketDataProvider {
  /** The newest series. @throws ToolError RESOURCE_NOT_FOUND `no_quote_for_ticker` */
  prices(ticker: string, signal?: AbortSignal): Promise<PriceSeries>;
}

export interface NewsItem {
  title: string;
  date: string;
  ticker?: string;
  url?: string;
  /** Of a filing: its form, 8-K items and accession number. */
  form?: string;
  items?: string[];
  accession?: string;
}

export interface NewsAnswer {
  /** Best first, ten at most. */
  items: NewsItem[];
  /** The days that were searched; null where there is nothing to search. */
  window: { from: string | null; to: string | null };
  /** Limits of the search that the reader must know. */
  note: string;
  source: string;
}

export interface NewsProvider {
  /** Tells the model what is searched; completes "Searches recent company events: …". */
  about: string;
  /** @param query a company (ticker or name) and/or a topic; `days` to look back, 1 to 90 */
  search(query: { query: string; days: number }, signal?: AbortSignal): Promise<NewsAnswer>;
}

export interface PeersProvider {
  /** @throws ToolError RESOURCE_NOT_FOUND `no_peer_data` */
  peers(ticker: string, signal?: AbortSignal): Promise<Peers>;
}

/** All providers of the finance tools. Replace one by spreading: `{ ...snapshotData(), market: mine }`. */
export interface FinanceData {
  filings: FilingsProvider;
  market: MarketDataProvider;
  news: NewsProvider;
  peers: PeersProvider;
  /** Today's date, to judge whether a price is stale. Default: by the clock, in UTC. */
  today?(): string;
}
