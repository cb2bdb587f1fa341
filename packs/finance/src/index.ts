/** The finance pack: ten tools over providers of figures and a mailer (docs/finance-data.md). */
import type { FinanceData } from './data';
import { today } from './dates';
import type { Mailer } from './mailer';
import { calculateTool } from './tools/calculate';
import { fetchFilingSection } from './tools/fetch-filing-section';
import { getPriceHistory } from './tools/get-price-history';
import { getQuote } from './tools/get-quote';
import { peerCompanies } from './tools/peer-companies';
import { ratioCardTool } from './tools/ratio-card';
import { searchFilings } from './tools/search-filings';
import { searchNews } from './tools/search-news';
import { sendCreditMemo } from './tools/send-credit-memo';
import { statsSummary } from './tools/stats-summary';
import type { Tool } from 'holdfast/tools';

export type {
  FilingsProvider,
  FinanceData,
  MarketDataProvider,
  NewsAnswer,
  NewsItem,
  NewsProvider,
  PeersProvider,
  PriceSeries,
} from './data';
export { edgarData, type EdgarSettings } from './edgar';
export type { Mailer, MailMessage, MailReceipt } from './mailer';
export { SmtpMailer, type SmtpSettings } from './smtp-mailer';
export { snapshotData } from './snapshot';

export function financeTools({ mailer, ...data }: FinanceData & { mailer: Mailer }): Tool[] {
  return [
    searchFilings(data.filings),
    fetchFilingSection(data.filings),
    getQuote(data.market, data.today ?? today),
    getPriceHistory(data.market),
    calculateTool(),
    statsSummary(),
    searchNews(data.news),
    peerCompanies(data),
    ratioCardTool(data),
    sendCreditMemo(mailer),
  ];
}
