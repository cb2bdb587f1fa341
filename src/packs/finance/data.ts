/**
 * Where the finance tools get their figures. The embedded snapshot implements this; a live EDGAR or
 * market data source can, without a change to the tools. Methods are async for that reason.
 *
 * Every method throws ToolError RESOURCE_NOT_FOUND for what the source lacks, with a hint that names
 * what it has; a source never fills a gap with an estimate. Dates are `YYYY-MM-DD`.
 */
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
}

export interface FilingIndex {
  ticker: string;
  /** Newest first. */
  filings: Filing[];
  /** Up to when the index is complete for periodic reports. */
  asOf: string;
  /** Up to when it is complete for 8-Ks; null when it has none. */
  eventsAsOf: string | null;
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

/** What one 10-K or 10-Q states: its own period, and the period that it compares with. */
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

export interface PriceSeries {
  ticker: string;
  /** Closing prices in US dollars at month ends, oldest first; the last may lie within its month. */
  rows: { date: string; close: number }[];
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

export interface FinanceData {
  companies(): Promise<Company[]>;
  /** @throws ToolError RESOURCE_NOT_FOUND `ticker_not_found` */
  filings(ticker: string, form?: Form): Promise<FilingIndex>;
  /** @throws ToolError RESOURCE_NOT_FOUND `ticker_not_found`, `no_facts_for_ticker` */
  facts(ticker: string): Promise<CompanyFacts>;
  /** The newest series. @throws ToolError RESOURCE_NOT_FOUND `no_quote_for_ticker` */
  prices(ticker: string): Promise<PriceSeries>;
  /** @throws ToolError RESOURCE_NOT_FOUND `no_peer_data` */
  peers(ticker: string): Promise<Peers>;
  /** What the source has of a ticker; empty when nothing. Never throws for an unknown ticker. */
  coverage(ticker: string): Promise<('filings' | 'facts' | 'prices')[]>;
  /** Today, for judging whether a price is stale. */
  today(): string;
}
