/** Reads the user's order: a company, a recipient, and whether the memo is to be sent. */
import type { Conversation } from '../conversation';
import { emails, ticker } from '../words';

export interface Order {
  ticker: string;
  recipient: string;
  /** False when the user said not to send. */
  send: boolean;
}

export const DEFAULT_TICKER = 'AAPL';
export const DEFAULT_RECIPIENT = 'credit-committee@bank.example';

export function readOrder({ ask, earlier }: Conversation): Order {
  const before = [...earlier].reverse();
  return {
    ticker: [ask, ...before].map(ticker).find(Boolean) ?? DEFAULT_TICKER,
    recipient: emails(ask).at(-1) ?? DEFAULT_RECIPIENT,
    send: !/\b(do not|don't|don’t|without|never)\s+send/i.test(ask),
  };
}
