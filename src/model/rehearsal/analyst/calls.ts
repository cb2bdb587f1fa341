/** The analyst's calls that need only a ticker. The same function makes a call and finds its result, by name and input. */
import type { WantedCall } from '../call-ledger';

export const searchFilings = (ticker: string, form: string): WantedCall => ({ name: 'search_filings', input: { ticker, form } });
export const peerCompanies = (ticker: string): WantedCall => ({ name: 'peer_companies', input: { ticker } });
export const ratioCard = (ticker: string): WantedCall => ({ name: 'ratio_card', input: { ticker } });
export const getQuote = (ticker: string): WantedCall => ({ name: 'get_quote', input: { ticker } });
export const priceHistory = (ticker: string): WantedCall => ({ name: 'get_price_history', input: { ticker, days: 365 } });
/** The tool requires two characters at least; some tickers have one. */
export const searchNews = (ticker: string): WantedCall => ({
  name: 'search_news',
  input: { query: ticker.length >= 2 ? ticker : `${ticker} results`, days: 90 },
});
