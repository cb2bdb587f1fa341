/** The tool `peer_companies`: companies to compare one company with. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { FinanceData } from '../data';
import { ticker } from '../ticker-and-date-schemas';
import { pricesOrReason } from '../prices-or-reason';
import { DAY } from './ttl';

/** `{ticker}` → up to five peers, how they were chosen, and which data the source has of each. */
export function peerCompanies({ filings, market, peers }: Pick<FinanceData, 'filings' | 'market' | 'peers'>) {
  return defineTool({
    name: 'peer_companies',
    version: '1.1.0',
    class: 'read',
    cacheTtlMs: DAY,
    description: {
      does: 'Names up to five listed companies to compare one company with: by SIC code and revenue, among the companies at hand.',
      returns:
        'peers (tickers), basis (how they were chosen), data_here (which of filings, facts, prices the other tools have of each peer), source.',
      useWhen:
        'You benchmark a company: get its peers, then ask for ratio_card of those that have facts here, all in one answer.',
      dontUseFor: 'The figures of the peers themselves (ratio_card, get_quote), or a full list of an industry.',
      example: '{"ticker": "NVDA"}',
      warning: 'A peer with an empty data_here is real, but the other tools know nothing of it: do not invent its figures.',
    },
    errors: [
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'no_peer_data',
        when: 'The source has no peers of the company: choose them otherwise.',
      },
    ],
    input: z.object({ ticker }),
    output: z.object({
      ticker,
      peers: z.array(z.string()),
      basis: z.string(),
      data_here: z.record(z.string(), z.array(z.enum(['filings', 'facts', 'prices']))),
      source: z.string(),
    }),
    async run({ ticker }, { signal, network }) {
      const result = await network(() => peers.peers(ticker, signal));
      const company = await network(() => filings.company(ticker, signal));
      const sic = company.sic ? `; SIC ${company.sic} ${company.sicDescription}` : '';
      const dataHere = async (peer: string) => [
        ...(await filings.coverage(peer, signal)),
        ...('rows' in (await pricesOrReason(market, peer, signal)) ? (['prices'] as const) : []),
      ];
      const coverageOf = async (peer: string) => [peer, await dataHere(peer)] as const;
      const coverage = await network(() => Promise.all(result.peers.map(coverageOf)));
      return {
        ticker,
        peers: result.peers,
        basis: `${result.basis}${sic}`,
        data_here: Object.fromEntries(coverage),
        source: result.source,
      };
    },
  });
}
