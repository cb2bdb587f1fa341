/**
 * Builds the finance tools' data from live EDGAR: filings, and 8-K filings as news. Prices and peers come from the snapshot, since
 * EDGAR serves neither.
 */
import { join } from 'node:path';
import type { FinanceData, PeersProvider } from '../data';
import { today } from '../dates';
import { FilingEvents } from '../filing-events';
import { Snapshot } from '../snapshot';
import { addressesOf } from './addresses';
import { EdgarFilings } from './filings';
import { EdgarHttp, type HttpSettings } from './http';
import { EdgarReader } from './reader';

export interface EdgarSettings extends HttpSettings {
  /** Replaces both hosts of the SEC, see addresses.ts. Default: the real ones. */
  url?: string;
}

/**
 * @param settings `cacheFolder` is holdfast's own: copies, request slots and the pause go into its folder `edgar`
 * @example financeTools({ ...edgarData({ userAgent: 'Bank Ltd data@bank.example', cacheFolder }), market: ours, mailer })
 */
export function edgarData({ url, cacheFolder, ...settings }: EdgarSettings): FinanceData {
  const addresses = addressesOf(url);
  const http = new EdgarHttp({ ...settings, cacheFolder: join(cacheFolder, 'edgar') }, addresses);
  const filings = new EdgarFilings(new EdgarReader(http), addresses);
  const snapshot = new Snapshot();
  return { filings, market: snapshot, peers: peersOf(snapshot), news: new FilingEvents(filings), today };
}

/** EDGAR's endpoints give a company's industry, not the companies of an industry. */
function peersOf(snapshot: PeersProvider): PeersProvider {
  return {
    peers: async (ticker) => {
      const result = await snapshot.peers(ticker);
      return { ...result, source: `${result.source}: EDGAR serves no peers` };
    },
  };
}
