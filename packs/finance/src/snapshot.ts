/** The embedded snapshot: implements all providers from data/*.json, which scripts/build-snapshot.mjs writes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOwn } from 'holdfast/tools';
import type {
  Company,
  CompanyFacts,
  FilingIndex,
  FilingQuery,
  FilingsProvider,
  FinanceData,
  MarketDataProvider,
  NamedCompanies,
  Peers,
  PeersProvider,
  PriceSeries,
} from './data';
import { figure } from './concepts';
import { today } from './dates';
import { FilingEvents } from './filing-events';
import { readQuery } from './names';
import { isTopic } from './news-query';
import { notFound } from './not-found';
import { nearestPeers } from './peers';
import {
  toCompany,
  toFacts,
  toFilings,
  toSeries,
  type CompanyRow,
  type FactsFile,
  type FilingsFile,
  type SeriesRow,
} from './snapshot-files';

/** The same path from src and from dist. */
const PACKAGE_DATA = join(__dirname, '../data');

/**
 * @param folder the folder of the snapshot; default: the package's own data/
 * @param clock today as `YYYY-MM-DD`
 */
export function snapshotData(folder?: string, clock: () => string = today): FinanceData {
  const snapshot = new Snapshot(folder);
  return { filings: snapshot, market: snapshot, peers: snapshot, news: new FilingEvents(snapshot), today: clock };
}

export class Snapshot implements FilingsProvider, MarketDataProvider, PeersProvider {
  private readonly files = new Map<string, unknown>();

  constructor(private readonly folder: string = PACKAGE_DATA) {}

  async company(ticker: string): Promise<Company> {
    this.mustKnow(ticker);
    return toCompany(this.companyRows().find((row) => row.ticker === ticker)!);
  }

  async companiesNamedIn(text: string): Promise<NamedCompanies> {
    const companies = this.companyRows().map(toCompany);
    const { named, unclear, words } = readQuery(text, companies);
    if (named.length > 0) return { named, searched: named, unclear, words };
    // A word of no topic may name a company that the snapshot lacks, and events of other companies would be no answer.
    return { named, searched: words.every(isTopic) ? companies : [], unclear, words };
  }

  async filings(ticker: string, { form, date }: FilingQuery = {}): Promise<FilingIndex> {
    this.mustKnow(ticker);
    const index = toFilings(ticker, this.read<FilingsFile>(`filings/${ticker}.json`)!);
    const filings = index.filings.filter((filing) => (!form || filing.form === form) && (!date || filing.date === date));
    return { ...index, filings };
  }

  /** The snapshot has figures, not the text of filings. */
  async section(): Promise<null> {
    return null;
  }

  async facts(ticker: string): Promise<CompanyFacts> {
    this.mustKnow(ticker);
    const file = this.read<FactsFile>(`facts/${ticker}.json`);
    if (file) return toFacts(ticker, file);
    const with_ = this.tickers().filter((other) => this.read(`facts/${other}.json`));
    throw notFound(
      'no_facts_for_ticker',
      `The snapshot has no financial statements of "${ticker}".`,
      `Statements of: ${with_.join(', ')}.`,
    );
  }

  async prices(ticker: string): Promise<PriceSeries> {
    const all = this.read<Record<string, SeriesRow[]>>('prices.json') ?? {};
    const series = (getOwn(all, ticker) ?? []).map((row) => toSeries(ticker, row));
    const newest = series.sort((a, b) => (a.asOf < b.asOf ? 1 : -1))[0];
    if (newest) return newest;
    const tickers = Object.keys(all).sort().join(', ');
    throw notFound('no_quote_for_ticker', `The snapshot has no price of "${ticker}".`, `Prices of: ${tickers}.`);
  }

  /** Peers among the companies of the snapshot. @throws ToolError RESOURCE_NOT_FOUND `no_peer_data` */
  async peers(ticker: string): Promise<Peers> {
    const companies = this.companyRows().map((row) => ({ ...toCompany(row), revenue: this.revenueOf(row.ticker) }));
    const company = companies.find((other) => other.ticker === ticker);
    if (!company) {
      const message = `The snapshot has no peers of "${ticker}": it has no such company.`;
      throw notFound('no_peer_data', message, `Peers of: ${this.tickers().join(', ')}.`);
    }
    return {
      ticker,
      ...nearestPeers(company, companies),
      source: `embedded snapshot, computed over its ${companies.length} companies`,
    };
  }

  private revenueOf(ticker: string): number | null {
    const file = this.read<FactsFile>(`facts/${ticker}.json`);
    const report = file && toFacts(ticker, file).reports.find(({ form }) => form === '10-K');
    return (report && figure(report, 'revenue')?.value) ?? null;
  }

  async coverage(ticker: string): Promise<('filings' | 'facts')[]> {
    if (!this.tickers().includes(ticker)) return [];
    return this.read(`facts/${ticker}.json`) ? ['filings', 'facts'] : ['filings'];
  }

  private mustKnow(ticker: string): void {
    if (this.tickers().includes(ticker)) return;
    throw notFound(
      'ticker_not_found',
      `No company of the snapshot has ticker "${ticker}".`,
      `Known: ${this.tickers().join(', ')}.`,
    );
  }

  private tickers(): string[] {
    return this.companyRows().map((company) => company.ticker);
  }

  private companyRows(): CompanyRow[] {
    const rows = this.read<CompanyRow[]>('companies.json');
    if (!rows)
      throw new Error(`No finance snapshot in ${this.folder}: companies.json is missing. Run scripts/build-snapshot.mjs.`);
    return rows;
  }

  /** Parsed once; undefined when there is no such file. Names come from checked tickers only. */
  private read<T>(name: string): T | undefined {
    if (!this.files.has(name)) {
      const path = join(this.folder, name);
      this.files.set(name, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
    }
    return this.files.get(name) as T | undefined;
  }
}
