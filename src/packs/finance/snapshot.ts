/** The embedded snapshot: FinanceData from data/*.json, which scripts/build-snapshot.mjs wrote. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOwn } from '../../shared/json';
import type { Company, CompanyFacts, FilingIndex, FinanceData, Form, Peers, PriceSeries } from './data';
import { notFound } from './not-found';
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

/** From src/packs/finance and from dist/packs/finance alike. */
const PACKAGE_DATA = join(__dirname, '../../../data');

export class SnapshotFinanceData implements FinanceData {
  private readonly files = new Map<string, unknown>();

  /**
   * @param folder where the snapshot lies; default: the package's own data/
   * @param clock today as `YYYY-MM-DD`
   */
  constructor(
    private readonly folder: string = PACKAGE_DATA,
    private readonly clock: () => string = () => new Date().toISOString().slice(0, 10),
  ) {}

  today(): string {
    return this.clock();
  }

  async companies(): Promise<Company[]> {
    return this.companyRows().map(toCompany);
  }

  async filings(ticker: string, form?: Form): Promise<FilingIndex> {
    this.mustKnow(ticker);
    const index = toFilings(ticker, this.read<FilingsFile>(`filings/${ticker}.json`)!);
    return form ? { ...index, filings: index.filings.filter((filing) => filing.form === form) } : index;
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
    const known = Object.keys(all).sort().join(', ');
    throw notFound('no_quote_for_ticker', `The snapshot has no price of "${ticker}".`, `Prices of: ${known}.`);
  }

  async peers(ticker: string): Promise<Peers> {
    const table = this.read<Record<string, { peers: string[]; basis: string }>>('peers.json') ?? {};
    const row = getOwn(table, ticker);
    if (row) return { ticker, ...row, source: 'embedded snapshot, data/peers.json' };
    throw notFound('no_peer_data', `The snapshot has no peers of "${ticker}".`, `Peers of: ${Object.keys(table).join(', ')}.`);
  }

  async coverage(ticker: string): Promise<('filings' | 'facts' | 'prices')[]> {
    const known = this.tickers().includes(ticker);
    const priced = getOwn(this.read<Record<string, SeriesRow[]>>('prices.json') ?? {}, ticker) !== undefined;
    return [
      ...(known ? (['filings'] as const) : []),
      ...(known && this.read(`facts/${ticker}.json`) ? (['facts'] as const) : []),
      ...(priced ? (['prices'] as const) : []),
    ];
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
