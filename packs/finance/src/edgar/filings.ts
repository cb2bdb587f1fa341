/** The filings provider for live EDGAR: filings, facts and documents. */
import { COMPANY_FACTS, reportsOf, splitsOf } from '../company-facts';
import type {
  Company,
  CompanyFacts,
  FiledSection,
  Filing,
  FilingIndex,
  FilingQuery,
  FilingsProvider,
  Form,
  NamedCompanies,
} from '../data';
import { notFound } from '../not-found';
import type { SectionName } from '../sections';
import type { Addresses } from './addresses';
import { OLDER_PAGE, SUBMISSIONS, TICKERS, type Columns, type Submissions } from './answers';
import { CompanyList } from './companies';
import { Documents } from './documents';
import { badAnswer } from './failures';
import { SharedCache } from './shared-cache';
import type { EdgarReader, SourcedAnswer } from './reader';

/** How long an answer is used without asking EDGAR again, ms. */
const CURRENT_MS = 5 * 60_000;
/** Pages of 1,000 and more filings that one call may read; a large bank has sixty. */
const MOST_PAGES = 12;
const FORMS: ReadonlySet<string> = new Set(['10-K', '10-Q', '8-K', 'S-1'] satisfies Form[]);

export class EdgarFilings implements FilingsProvider {
  private readonly lists = new SharedCache<CompanyList>({ max: 1, ttl: CURRENT_MS });
  private readonly submissions = new SharedCache<SourcedAnswer<Submissions>>({ max: 64, ttl: CURRENT_MS });
  private readonly pages = new SharedCache<Columns>({ max: 64, ttl: CURRENT_MS });
  private readonly allFacts = new SharedCache<CompanyFacts>({ max: 32, ttl: CURRENT_MS });
  private readonly documents: Documents;

  constructor(
    private readonly reader: EdgarReader,
    private readonly addresses: Addresses,
  ) {
    this.documents = new Documents(reader, addresses);
  }

  async company(ticker: string, signal?: AbortSignal): Promise<Company> {
    const { company, about } = await this.companyWithSubmissions(ticker, signal);
    return {
      ...company,
      name: about.value.name,
      aliases: about.value.formerNames.map(({ name }) => name),
      sic: about.value.sic || null,
      sicDescription: about.value.sicDescription || null,
    };
  }

  async companiesNamedIn(text: string, signal?: AbortSignal): Promise<NamedCompanies> {
    const companies = (await this.list(signal)).namedIn(text);
    return { ...companies, searched: companies.named };
  }

  async filings(ticker: string, query: FilingQuery = {}, signal?: AbortSignal): Promise<FilingIndex> {
    const { about } = await this.companyWithSubmissions(ticker, signal);
    const { recent, files } = about.value.filings;
    const { date, enough = Infinity } = query;
    const mayHold = files.filter((file) => !date || (file.filingFrom <= date && date <= file.filingTo));
    const filings = selectFilings(recent, query);
    let read = 0;
    while (read < Math.min(mayHold.length, MOST_PAGES) && filings.length < enough) {
      filings.push(...selectFilings(await this.page(mayHold[read]!.name, signal), query));
      read += 1;
    }
    const last = read === 0 ? recent.filingDate.at(-1) : mayHold[read - 1]!.filingFrom;
    return {
      ticker,
      filings: filings.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0)),
      asOf: about.asOf,
      eventsAsOf: about.asOf,
      since: read < mayHold.length ? (last ?? null) : null,
      source: `EDGAR submissions: ${about.source}`,
    };
  }

  async facts(ticker: string, signal?: AbortSignal): Promise<CompanyFacts> {
    const { cik } = await this.findCompany(ticker, signal);
    const none = () =>
      notFound(
        'no_facts_for_ticker',
        `EDGAR has no company facts in US dollars of "${ticker}".`,
        'Companies that report by 20-F or 40-F, or filed before 2009, have none; search_filings lists what there is.',
      );
    const load = async (until: AbortSignal): Promise<CompanyFacts> => {
      const { value, source } = await this.reader.json(this.addresses.facts(cik), COMPANY_FACTS, none, until);
      const reports = reportsOf(value);
      if (reports.length === 0) throw none();
      const what = `EDGAR company facts (CIK ${cik}), XBRL values as filed: ${source}`;
      return { ticker, reports, splits: splitsOf(value), source: what };
    };
    return this.allFacts.get(ticker, load, signal);
  }

  async section(ticker: string, filing: Filing, section: SectionName, signal?: AbortSignal): Promise<FiledSection> {
    const { cik } = await this.findCompany(ticker, signal);
    return this.documents.section(cik, filing, section, signal);
  }

  /** A company with a ticker at EDGAR has filings; whether it has facts is known only when they are read. */
  async coverage(ticker: string, signal?: AbortSignal): Promise<('filings' | 'facts')[]> {
    return (await this.list(signal)).withTicker(ticker) ? ['filings', 'facts'] : [];
  }

  private list(signal?: AbortSignal): Promise<CompanyList> {
    const url = this.addresses.tickers;
    const load = async (until: AbortSignal) => {
      const absent = () => badAnswer(url, 'the list of tickers is not there');
      return new CompanyList(Object.values((await this.reader.json(url, TICKERS, absent, until)).value));
    };
    return this.lists.get('', load, signal);
  }

  private async findCompany(ticker: string, signal?: AbortSignal): Promise<Company> {
    const company = (await this.list(signal)).withTicker(ticker);
    if (company) return company;
    throw unknown(ticker);
  }

  private async companyWithSubmissions(
    ticker: string,
    signal?: AbortSignal,
  ): Promise<{ company: Company; about: SourcedAnswer<Submissions> }> {
    const company = await this.findCompany(ticker, signal);
    const url = this.addresses.submissions(company.cik);
    const load = (until: AbortSignal) => this.reader.json(url, SUBMISSIONS, () => unknown(ticker), until);
    return { company, about: await this.submissions.get(url, load, signal) };
  }

  private page(name: string, signal?: AbortSignal): Promise<Columns> {
    const url = this.addresses.submissionsPage(name);
    const absent = () => badAnswer(url, 'the index names this page, and it is not there');
    const load = async (until: AbortSignal) => (await this.reader.json(url, OLDER_PAGE, absent, until)).value;
    return this.pages.get(url, load, signal);
  }
}

function unknown(ticker: string) {
  return notFound(
    'ticker_not_found',
    `EDGAR lists no company with ticker "${ticker}".`,
    'Tickers change with names and mergers: use the one that the company trades under today.',
  );
}

function selectFilings(columns: Columns, { form, date }: FilingQuery): Filing[] {
  return columns.form.flatMap((filedForm, i) => {
    const on = columns.filingDate[i]!;
    if (!FORMS.has(filedForm) || (form && filedForm !== form) || (date && on !== date)) return [];
    const items = columns.items[i]!;
    return {
      form: filedForm as Form,
      date: on,
      accession: columns.accessionNumber[i]!,
      period: columns.reportDate[i]!,
      items: items === '' ? [] : items.split(','),
      document: columns.primaryDocument[i]!,
    };
  });
}
