/** The finance pack: ten tools over a source of figures and a mailer. */
import type { Tool } from '../../tools/define';
import type { FinanceData } from './data';
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

export type { FinanceData } from './data';
export type { Mailer, MailMessage, MailReceipt } from './mailer';
export { SmtpMailer, type SmtpSettings } from './smtp-mailer';
export { SnapshotFinanceData } from './snapshot';

export function financeTools({ data, mailer }: { data: FinanceData; mailer: Mailer }): Tool[] {
  return [
    searchFilings(data),
    fetchFilingSection(data),
    getQuote(data),
    getPriceHistory(data),
    calculateTool(),
    statsSummary(),
    searchNews(data),
    peerCompanies(data),
    ratioCardTool(data),
    sendCreditMemo(mailer),
  ];
}
