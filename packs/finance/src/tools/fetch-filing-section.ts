/** The tool `fetch_filing_section`: reads one section of an SEC filing. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { Filing, FilingsProvider, Form, Report } from '../data';
import { isoDate, ticker } from '../ticker-and-date-schemas';
import { notFound } from '../not-found';
import { page } from '../page';
import { renderComparison, renderFinancials } from '../render-statements';
import { SECTION_NAMES } from '../sections/section-types';
import { DAY } from './ttl';

const FORMS = ['10-K', '10-Q', '8-K'] as const;
const RENDERED_FROM = {
  text: "the filing's text as filed",
  Financials: 'structured facts of this report, not the filed text: statements as a table',
  'MD&A': "structured facts of this report, not the filed text: a period-over-period comparison, without management's words",
} as const;

/**
 * `{ticker, form, date, section, cursor?}` → one page (at most 4 KB) of the section: as filed if the source has documents,
 * otherwise rendered from facts.
 */
export function fetchFilingSection(provider: FilingsProvider) {
  return defineTool({
    name: 'fetch_filing_section',
    version: '1.1.0',
    class: 'read',
    cacheTtlMs: DAY,
    maxInlineBytes: 8192,
    description: {
      does: 'Reads one section of one SEC filing, at most 4 KB of text a call.',
      returns:
        'accession number, text, and next_cursor: null at the end, else pass it as cursor for the next page. rendered_from says what the text was made from: the filing as filed (then with items, the parts of the section, and notes on how it was read), or figures, which lack the words of the management.',
      useWhen:
        'You know the filing (form and filing date from search_filings) and need its statements or the comparison with the period before.',
      dontUseFor: 'Finding out which filings exist (search_filings), ratios (ratio_card), or whole documents.',
      example: '{"ticker": "AAPL", "form": "10-K", "date": "2022-10-28", "section": "Financials"}',
      warning: 'The date is the filing date, not the end of the period.',
    },
    errors: [
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'filing_not_found',
        when: 'No filing of that form on that date: take a date from search_filings.',
      },
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'section_not_available',
        when: 'The source has no text of the section; a long one comes in pages, by next_cursor.',
      },
      { code: 'INVALID_PARAMS', reason: 'bad_cursor', when: 'The cursor is not one that the page before gave.' },
    ],
    input: z.object({
      ticker,
      form: z.enum(FORMS).describe('Annual, quarterly or event report'),
      date: isoDate.describe('Filing date, YYYY-MM-DD, as search_filings gives it'),
      section: z.enum(SECTION_NAMES).describe('Part of the filing to read'),
      cursor: z.string().max(20).optional().describe('next_cursor of the page before'),
    }),
    output: z.object({
      ticker,
      form: z.enum(FORMS),
      date: isoDate,
      accession: z.string(),
      section: z.enum(SECTION_NAMES),
      text: z.string(),
      next_cursor: z.string().nullable(),
      /** Only for a section as filed. */
      items: z.array(z.object({ item: z.string(), title: z.string(), chars: z.number().int() })).optional(),
      notes: z.array(z.string()).optional(),
      rendered_from: z.string(),
      source: z.string(),
    }),
    untrustedOutput: true,
    async run(input, { signal, network }) {
      const { ticker, form, date, section, cursor } = input;
      const filing = await network(() => findFiling(provider, ticker, form, date, signal));
      if (form === '8-K') throw noText(`8-K of ${date}`, section);
      const answer = { ticker, form, date, accession: filing.accession, section };
      const content = await network(() => provider.section(ticker, filing, section, signal));
      if (content) {
        const { items, notes, source } = content;
        return { ...answer, ...page(content.text, cursor), items, notes, rendered_from: RENDERED_FROM.text, source };
      }
      if (section === 'Risk Factors') throw noText(`${form} of ${date}`, section);
      const facts = await network(() => provider.facts(ticker, signal));
      const report = facts.reports.find((candidate) => candidate.accession === filing.accession);
      if (!report) throw noFigures(ticker, form, date, facts.reports);
      const { name } = await network(() => provider.company(ticker, signal));
      const text = section === 'Financials' ? renderFinancials(name, report) : renderComparison(name, report);
      return { ...answer, ...page(text, cursor), rendered_from: RENDERED_FROM[section], source: facts.source };
    },
  });
}

async function findFiling(
  provider: FilingsProvider,
  ticker: string,
  form: Form,
  date: string,
  signal: AbortSignal,
): Promise<Filing> {
  const [filing] = (await provider.filings(ticker, { form, date }, signal)).filings;
  if (filing) return filing;
  const { filings } = await provider.filings(ticker, { form, enough: 8 }, signal);
  const dates = filings
    .slice(0, 8)
    .map((candidate) => candidate.date)
    .join(', ');
  const hint = dates === '' ? `The index has no ${form} of ${ticker}.` : `Newest ${form} filings of ${ticker}: ${dates}.`;
  throw notFound('filing_not_found', `${ticker} filed no ${form} on ${date}.`, hint);
}

function noText(what: string, section: string) {
  const hint =
    'Only "Financials" and "MD&A" of a 10-K or 10-Q can be rendered from facts; for an 8-K, search_filings gives its items.';
  return notFound('section_not_available', `The source has no text of the section "${section}" of the ${what}.`, hint);
}

function noFigures(ticker: string, form: Form, date: string, reports: Report[]) {
  const dates = reports
    .filter((report) => report.form === form)
    .slice(0, 8)
    .map((report) => report.filed)
    .join(', ');
  const hint =
    dates === ''
      ? `There are figures of no ${form} of ${ticker}; try another form.`
      : `Newest figures of ${ticker}'s ${form}: filed ${dates}.`;
  return notFound('filing_facts_not_found', `The source has no figures of the ${form} that ${ticker} filed on ${date}.`, hint);
}
