/** Fakes of the ten finance tools, with figures that a test chooses. */
import { failed, ok, type Fake } from '../../../support/model/loop';

const string = { type: 'string' };
const tool = (name: string, properties: object, required: string[]) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties, required, additionalProperties: false } as any,
});

export const TOOLS = [
  tool('search_filings', { ticker: string, form: string }, ['ticker']),
  tool('fetch_filing_section', { ticker: string, form: string, date: string, section: string }, [
    'ticker',
    'form',
    'date',
    'section',
  ]),
  tool('get_quote', { ticker: string }, ['ticker']),
  tool('get_price_history', { ticker: string, days: { type: 'integer' } }, ['ticker', 'days']),
  tool('calculate', { expression: string }, ['expression']),
  tool('stats_summary', { values: { type: 'array', items: { type: 'number' } } }, ['values']),
  tool('search_news', { query: string, days: { type: 'integer' } }, ['query']),
  tool('peer_companies', { ticker: string }, ['ticker']),
  tool('ratio_card', { ticker: string }, ['ticker']),
  tool('send_credit_memo', { recipient: string, subject: string, body_md: string }, ['recipient', 'subject', 'body_md']),
  tool('read_result', { ref: string, offset: { type: 'integer' }, limit: { type: 'integer' } }, ['ref']),
];

export interface Figures {
  price: number;
  margins: Record<string, number | null>;
  closes: [string, number][];
}

export const ONE: Figures = {
  price: 215.4,
  margins: { AAPL: 0.2412, MSFT: 0.3567, GOOGL: 0.2801, AMZN: 0.0912 },
  closes: [
    ['2025-09-02', 180],
    ['2026-09-01', 210],
  ],
};
export const OTHER: Figures = {
  price: 99.5,
  margins: { AAPL: -0.05, MSFT: 0.11, GOOGL: 0.22, AMZN: 0.33 },
  closes: [
    ['2025-09-02', 120],
    ['2026-09-01', 90],
  ],
};

export function fakes(figures: Figures): Record<string, Fake> {
  return {
    search_filings: ({ ticker, form }) =>
      ok({
        ticker,
        filings: [
          { form, date: '2024-11-01', accession: `old-${form}`, period: '2024-09-28' },
          { form, date: '2025-10-31', accession: `new-${form}`, period: '2025-09-27' },
        ],
        total: 2,
        source: 'EDGAR submissions',
      }),
    fetch_filing_section: ({ section, ...rest }) =>
      ok({ ...rest, accession: 'a', section, text: `Text of ${section}.`, source: 'EDGAR archive' }),
    peer_companies: ({ ticker }) => ok({ ticker, peers: ['MSFT', 'GOOGL', 'AMZN', 'META'], basis: 'SIC', source: 'SIC list' }),
    ratio_card: ({ ticker }) => {
      if (!(ticker in figures.margins))
        return failed('RESOURCE_NOT_FOUND', 'USER_INPUT_ERROR', 'ticker_not_found', `no card of ${ticker}`);
      const net_margin = figures.margins[ticker];
      const missing = [{ ratio: 'pb', reason: 'no share count' }];
      return ok({
        ticker,
        period: { end: '2025-09-27' },
        price: null,
        ratios: { pe: 28.5, pb: null, net_margin },
        missing,
        source: 'XBRL',
      });
    },
    get_quote: ({ ticker }) =>
      ok({ ticker, price: figures.price, currency: 'USD', as_of: '2026-09-01', stale: true, source: 'closing prices' }),
    get_price_history: ({ ticker, days }) =>
      ok({ ticker, days, series: figures.closes.map(([date, close]) => ({ date, close })), as_of: '2026-09-01' }),
    calculate: ({ expression }) => ok({ expression, result: Function(`return ${expression}`)() }),
    stats_summary: ({ values }: { values: number[] }) =>
      ok({
        n: values.length,
        mean: values.reduce((a, b) => a + b) / values.length,
        min: Math.min(...values),
        max: Math.max(...values),
      }),
    search_news: ({ query }) =>
      ok({ query, items: [{ title: 'Results of operations', date: '2026-08-01', form: '8-K' }], source: '8-K filings' }),
    send_credit_memo: ({ recipient }) =>
      ok({ message_id: '<m1@bank>', accepted: [recipient], response: '250 OK', sent_at: '2026-09-02T00:00:00Z' }),
  };
}

/** Puts every result over `limit` bytes behind a reference, to be read in pages. */
export function large(table: Record<string, Fake>, limit: number, page = 100): Record<string, Fake> {
  const stored = new Map<string, string>();
  const wrap =
    (fake: Fake): Fake =>
    (input) => {
      const envelope: any = fake(input);
      const text = JSON.stringify(envelope.data ?? null);
      if (text.length <= limit) return envelope;
      const ref = `r${stored.size + 1}`;
      stored.set(ref, text);
      return ok({ ref, bytes: text.length, summary: text.slice(0, 20), hint: 'read_result' });
    };
  const read_result: Fake = ({ ref, offset = 0 }) => {
    const text = stored.get(ref)!;
    const end = Math.min(text.length, offset + page);
    return ok({ ref, offset, total: text.length, text: text.slice(offset, end), next_offset: end < text.length ? end : null });
  };
  return { ...Object.fromEntries(Object.entries(table).map(([name, fake]) => [name, wrap(fake)])), read_result };
}
