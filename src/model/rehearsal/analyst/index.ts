/**
 * Plays the credit analyst: search, read, compare, write the memo, ask to send it, and report the outcome. At every step it goes
 * through the stages from the beginning and does the first thing whose results are not in the conversation yet.
 */
import { isJsonObject } from '../../../shared/json/json';
import type { Conversation, PastCall } from '../conversation';
import { Ledger, nextStage, type Play } from '../call-ledger';
import { searchFilings } from './calls';
import { close } from './closing';
import { writeMemo } from './memo';
import { readOrder, type Order } from './order';
import { mainFiling, stages } from './plan';
import { sendMemo } from './send';

/** The analyst plays if these two tools are offered. */
export function isAnalyst({ tools }: Conversation): boolean {
  const names = tools.map((tool) => tool.name);
  return names.includes('search_filings') && names.includes('send_credit_memo');
}

export function playAnalyst(conversation: Conversation): Play {
  const order = readOrder(conversation);
  const ledger = new Ledger(conversation);
  const sends = ledger.all('send_credit_memo').filter(isOurs);
  if (sends.length > 0) return close(sends, order);

  const [search, ...rest] = stages(order);
  const searching = nextStage(ledger, [search!]);
  if (searching) return searching;
  if (mainFiling(ledger, order.ticker) === undefined) return { text: describeNoFilings(ledger, order), calls: [] };
  const next = nextStage(ledger, rest);
  if (next) return next;

  const memo = writeMemo(ledger, order);
  if (!order.send) return { text: `This is a rehearsal, not a model. As you asked, nothing is sent.\n\n${memo.body}`, calls: [] };
  return {
    text: `The memo is written. I ask to send it to ${order.recipient}; a person decides.`,
    calls: [sendMemo(ledger, order.recipient, memo.subject, memo.body)],
  };
}

/** False for a call whose JSON was broken on its way, or that a fault invented. */
function isOurs({ input }: PastCall): boolean {
  return typeof input.body_md === 'string' && typeof input.recipient === 'string' && input.confirmed !== true;
}

function describeNoFilings(ledger: Ledger, { ticker }: Order): string {
  const reasons = ['10-K', '10-Q'].map((form) => {
    const outcome = ledger.outcome(searchFilings(ticker, form));
    if (!outcome.ok)
      return `${form}: ${outcome.error.kind}: ${outcome.error.message}${outcome.error.hint ? ` (${outcome.error.hint})` : ''}`;
    const total = isJsonObject(outcome.data) ? outcome.data.total : undefined;
    return `${form}: ${typeof total === 'number' ? total : 0} found`;
  });
  return `This is a rehearsal, not a model. I found no annual or quarterly report of ${ticker}, so there is no memo, and nothing was sent. ${reasons.join('. ')}.`;
}
