/** The tool `ratio_card`: the ratios of one company from one annual report. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { CompanyFacts, FinanceData, Report } from '../data';
import { daysBetween } from '../dates';
import { isoDate, ticker } from '../ticker-and-date-schemas';
import { notFound } from '../not-found';
import { priceForReport, type ReportPrice } from '../price-for-report';
import { pricesOrReason } from '../prices-or-reason';
import { ratioCard, RATIOS } from '../ratios';
import { DAY } from './ttl';

const ratio = z.enum(RATIOS);

/** `{ticker, fiscal_year?}` → ratios of one annual report; formulas in ratios.ts, price rules in price-for-report.ts. */
export function ratioCardTool({ filings, market }: Pick<FinanceData, 'filings' | 'market'>) {
  return defineTool({
    name: 'ratio_card',
    version: '1.1.0',
    class: 'read',
    cacheTtlMs: DAY,
    maxInlineBytes: 4096,
    description: {
      does: 'Computes the usual ratios of one company from one annual report, with every figure that went in.',
      returns:
        'basis, which says of when the price is that pe and pb use; period; price beside it or null; ratios pe, pb, roe, gross_margin, operating_margin, net_margin, current_ratio, debt_to_equity, revenue_growth as fractions (0.25 is 25 %) or null; missing with a reason for each null; inputs with accession numbers; source.',
      useWhen: 'You judge profitability, leverage or valuation, or compare companies: ask for all of them in one answer.',
      dontUseFor: 'Quarterly figures (fetch_filing_section), or a ratio that is not listed (calculate).',
      example: '{"ticker": "MSFT", "fiscal_year": 2023}',
      warning:
        'pe and pb are null where no price can honestly stand beside the report; say so rather than dividing a quote of another time. Equity is that of the period end.',
    },
    errors: [
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'fiscal_year_not_found',
        when: 'No annual report of that year: take one of the years in the hint.',
      },
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'ticker_not_found',
        when: 'The source lacks the company: take a ticker that the hint names, or ask the user.',
      },
    ],
    input: z.object({
      ticker,
      fiscal_year: z
        .number()
        .int()
        .min(1990)
        .max(2100)
        .optional()
        .describe("The company's own fiscal year; default: the newest with figures"),
    }),
    output: z.object({
      basis: z.string(),
      ticker,
      period: z.object({ fiscal_year: z.number().int(), end: isoDate, form: z.string(), accession: z.string() }),
      price: z.object({ value: z.number(), as_of: isoDate, note: z.string() }).nullable(),
      ratios: z.record(ratio, z.number().nullable()),
      missing: z.array(z.object({ ratio, reason: z.string() })),
      inputs: z.array(
        z.object({ concept: z.string(), value: z.number(), unit: z.string(), end: isoDate, accession: z.string() }),
      ),
      source: z.string(),
    }),
    async run(input, { signal, network }) {
      const facts = await network(() => filings.facts(input.ticker, signal));
      const report = annualReport(facts, input.fiscal_year);
      const series = await network(() => pricesOrReason(market, input.ticker, signal));
      const beside = 'reason' in series ? series : priceForReport(series, report, facts);
      const card = ratioCard(report, beside);
      return {
        basis: basisOf(beside, report),
        ticker: input.ticker,
        period: { fiscal_year: report.fiscalYear, end: report.end, form: report.form, accession: report.accession },
        price: 'price' in beside && 'asOf' in series ? { value: beside.price, as_of: series.asOf, note: beside.note } : null,
        ratios: card.ratios,
        missing: card.missing,
        inputs: card.inputs.map(({ concept, value, unit, end }) => ({ concept, value, unit, end, accession: report.accession })),
        source: 'asOf' in series ? `${facts.source}; price: ${series.source}` : facts.source,
      };
    },
  });
}

/** The first field of the result, so that nobody reads a ratio without it. */
function basisOf(beside: ReportPrice, { end, filed }: Report): string {
  const figures = `Figures of the year to ${end}, filed ${filed}.`;
  if ('reason' in beside) return `${figures} No pe and pb: ${beside.reason}.`;
  const older =
    beside.asOf < filed
      ? ` The price is OLDER than the filing, by ${daysBetween(beside.asOf, filed)} days: pe and pb mix two times.`
      : '';
  return `${figures} pe and pb use a price of ${beside.asOf}.${older}`;
}

function annualReport(facts: CompanyFacts, year: number | undefined): Report {
  const annual = facts.reports.filter((report) => report.form === '10-K');
  const report = year === undefined ? annual[0] : annual.find((candidate) => candidate.fiscalYear === year);
  if (report) return report;
  const years = annual.map((candidate) => candidate.fiscalYear).join(', ');
  throw notFound(
    'fiscal_year_not_found',
    `The source has no annual report of ${facts.ticker} for fiscal ${year ?? 'years'}.`,
    `Fiscal years: ${years}.`,
  );
}
