/** The showcase's plan, stage by stage: look, compute, write, read back, and last the calls that a person decides. */
import { getQuote, peerCompanies, priceHistory, ratioCard, searchFilings, searchNews } from '../analyst/calls';
import { writeMemo } from '../analyst/memo';
import type { Order } from '../analyst/order';
import { calculation, mainFiling, peers, peerStatistics, section } from '../analyst/plan';
import { sendMemo } from '../analyst/send';
import type { PastCall } from '../conversation';
import { nextStage, type Ledger, type Play, type Stage, type WantedCall } from '../call-ledger';
import { countLines, findStatus, getWeather, listNotes, readBack, searchDocuments } from './calls';
import { quote, swap } from './chain';
import { earlierNote, makeReport, markNote, notePath, writeNote } from './note';

export const stages = (order: Order): Stage[] => [
  {
    narration: `I look around, at everything at once: what ${order.ticker} has filed and what it costs, the weather, the documents of the house, the notes, and a token's price.`,
    calls: (ledger) => [
      searchFilings(order.ticker, '10-K'),
      searchFilings(order.ticker, '10-Q'),
      peerCompanies(order.ticker),
      getQuote(order.ticker),
      priceHistory(order.ticker),
      searchNews(order.ticker),
      getWeather,
      searchDocuments,
      listNotes,
      quote(ledger),
    ],
  },
  {
    narration: 'I read what the filing says, and the ratios of the company and its peers.',
    calls: (ledger) => [
      section(ledger, order.ticker, 'Financials'),
      section(ledger, order.ticker, 'MD&A'),
      ...[order.ticker, ...peers(ledger, order.ticker)].map(ratioCard),
      earlierNote(ledger, order),
    ],
  },
  {
    narration: 'I compare the figures.',
    calls: (ledger) => [calculation(ledger, order), peerStatistics(ledger, order.ticker)],
  },
  { narration: 'I write them down.', calls: (ledger) => [writeNote(ledger, order)] },
  { narration: 'I read the note back before I say that it is there.', calls: () => [readBack(notePath(order))] },
  { narration: 'I mark it as read.', calls: (ledger) => [markNote(ledger, order)] },
  {
    narration: 'I look for the mark, and make a report of the note.',
    calls: (ledger) => [findStatus(notePath(order)), makeReport(ledger, order)],
  },
];

const DESTRUCTIVE = ['swap_token', 'bash', 'send_credit_memo'];

/** The calls that cannot be undone, all in one answer, and each only once. */
export function lastStage(ledger: Ledger, order: Order): Play | undefined {
  const calls = [swap(ledger), countLines, memo(ledger, order)].filter(
    (call): call is WantedCall => call !== undefined && findDecidedCall(ledger, call.name) === undefined,
  );
  const narration = 'What follows cannot be undone. I ask for all of it at once; a person decides on each call.';
  return nextStage(ledger, [{ narration, calls: () => calls }]);
}

/** The last call of a destructive tool that a person was asked about; not one that was refused before, as invalid. */
export function findDecidedCall(ledger: Ledger, name: string): PastCall | undefined {
  return ledger.all(name).findLast(({ result }) => result.ok || result.error.code !== 'INVALID_PARAMS');
}

/** How the last call of each destructive tool ended, if one was made. */
export function attempts(ledger: Ledger): PastCall[] {
  return DESTRUCTIVE.flatMap((name) => findDecidedCall(ledger, name) ?? ledger.all(name).at(-1) ?? []);
}

function memo(ledger: Ledger, order: Order): WantedCall | undefined {
  if (!order.send || mainFiling(ledger, order.ticker) === undefined) return undefined;
  const { subject, body } = writeMemo(ledger, order);
  return sendMemo(ledger, order.recipient, subject, body);
}
