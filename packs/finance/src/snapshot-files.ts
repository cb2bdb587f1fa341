/** The shapes of data/*.json (compact, for a small package) and their expansion into the types of data.ts. */
import type { Close, Company, CompanyFacts, Fact, FilingIndex, Form, PriceSeries, Report, Split } from './data';

export interface CompanyRow {
  ticker: string;
  name: string;
  aliases: string[];
  cik: string;
  sic: string | null;
  sic_description: string | null;
}

export interface FilingsFile {
  as_of: string;
  events_as_of: string | null;
  source: string;
  /** form, filed, accession, period, item codes joined by commas */
  rows: [Form, string, string, string, string][];
}

export interface FactsFile {
  source: string;
  splits: Split[];
  reports: {
    accession: string;
    form: '10-K' | '10-Q';
    filed: string;
    fy: number;
    fp: string;
    end: string;
    /** `start/end`, or `/end` for a balance */
    periods: string[];
    /** `concept|unit` → index into periods → value */
    values: Record<string, Record<string, number>>;
  }[];
}

export interface SeriesRow {
  adjusted: boolean;
  source: string;
  note?: string;
  /** Month ends. */
  rows: [string, number][];
  /** Each trading day of the last year. */
  days: [string, number][];
}

export function toCompany({ sic_description, ...row }: CompanyRow): Company {
  return { ...row, sicDescription: sic_description };
}

export function toFilings(ticker: string, file: FilingsFile): FilingIndex {
  const filings = file.rows.map(([form, date, accession, period, items]) => ({
    form,
    date,
    accession,
    period,
    items: items === '' ? [] : items.split(','),
  }));
  return { ticker, filings, asOf: file.as_of, eventsAsOf: file.events_as_of, since: null, source: file.source };
}

export function toFacts(ticker: string, file: FactsFile): CompanyFacts {
  const reports = file.reports.map(({ fy, fp, periods, values, ...report }): Report => {
    const facts = Object.entries(values).flatMap(([key, entries]) => {
      const [concept, unit] = key.split('|') as [string, Fact['unit']];
      return Object.entries(entries).map(([index, value]): Fact => {
        const [start, end] = periods[Number(index)]!.split('/') as [string, string];
        return { concept, unit, value, start: start === '' ? null : start, end };
      });
    });
    return { ...report, fiscalYear: fy, fiscalPeriod: fp, facts };
  });
  return { ticker, reports, splits: file.splits, source: file.source };
}

export function toSeries(ticker: string, row: SeriesRow): PriceSeries {
  const [rows, days] = [row.rows, row.days].map((list) => list.map(([date, close]) => ({ date, close }))) as [Close[], Close[]];
  return { ticker, rows, days, adjusted: row.adjusted, asOf: rows.at(-1)!.date, note: row.note ?? null, source: row.source };
}
