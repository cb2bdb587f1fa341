/**
 * Workflow of one budget: a call reserves here first, by update, before it spends, so that calls which run at once cannot exceed
 * the cap together. The book itself is pure (shared/budget-book.ts); it uses this workflow's clock.
 */
import {
  allHandlersFinished,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import {
  countsUntil,
  EMPTY_BOOK,
  isAmount,
  pruneBook,
  reserve,
  settle,
  usedAmount,
  type Book,
  type BudgetName,
  type Reservation,
  type ReservationAnswer,
  type BudgetSettlement,
} from '../../shared/budget-book';
import { inlineCode } from '../../shared/text/visible';
import { BUDGET_QUERY, RESERVE_UPDATE, SETTLE_UPDATE, type BudgetView } from '../contract';
import { condition } from '../sandbox/condition';
import { onSignals } from '../sandbox/signals';

/** Updates per run; Temporal allows 2,000. */
const MOST_UPDATES = 1000;
/** How long an empty book waits for the next call, ms. */
const IDLE_TIMEOUT_MS = 60_000;
/** A year: an update with a longer window is refused. */
const LONGEST = 366 * 24 * 3_600_000;

export interface BudgetInput extends BudgetName {
  /** Set by continue-as-new only. */
  book?: Book;
}

export async function budget({ book: carriedBook = EMPTY_BOOK, ...name }: BudgetInput): Promise<void> {
  let book = carriedBook;
  let updates = 0;
  const write = (next: Book): void => {
    book = next;
    updates += 1;
    setCurrentDetails(details(viewOf(name, book, Date.now())));
  };
  onSignals(() => undefined); // it takes no signals
  setHandler(
    defineQuery<BudgetView, [number?]>(BUDGET_QUERY),
    (now: number | undefined) => viewOf(name, book, Number.isSafeInteger(now) ? now! : Date.now()),
    { description: 'What is used and left; takes the time to say it for, ms since 1970. Default: when something last happened.' },
  );
  setHandler(
    defineUpdate<ReservationAnswer, [Reservation]>(RESERVE_UPDATE),
    (request) => {
      const reservation = reserve(book, request, Date.now());
      write(reservation.book);
      return reservation.answer;
    },
    { description: 'Reserves for a call that is about to run.', validator: checkReservation },
  );
  setHandler(defineUpdate<void, [BudgetSettlement]>(SETTLE_UPDATE), (settlement) => write(settle(book, settlement, Date.now())), {
    description: 'What became of a call that had reserved.',
    validator: checkSettlement,
  });

  for (;;) {
    const end = countsUntil(book);
    const full = () => updates >= MOST_UPDATES || workflowInfo().continueAsNewSuggested;
    if (await condition(full, end === null ? IDLE_TIMEOUT_MS : Math.max(1, end - Date.now()))) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof budget>({ ...name, book });
    }
    book = pruneBook(book, Date.now());
    if (countsUntil(book) === null && allHandlersFinished()) return;
  }
}

// A budget outlives builds: a pinned run would wait forever for the worker version that began it. A worker without a version must
// not set this: its deployment has no name, and the server would refuse every task.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' as const } : {}),
  budget,
);

/** Anybody who can reach Temporal can send an update: a malformed one must not fail the workflow task. @throws Error */
function checkReservation(request: Reservation): void {
  checkDispatchKey(request);
  const { amount, cap, window_ms, lasts_ms, proven, accepted } = request;
  if (!isAmount(amount) || !isAmount(cap)) throw new Error('amount and cap must be digits, at most 100');
  if (!within(window_ms, 1) || !within(lasts_ms, 0)) throw new Error('window_ms and lasts_ms must be ms, at most a year');
  if (!within(proven, 0) || typeof accepted !== 'boolean') throw new Error('proven must be a number, accepted true or false');
}

/** @throws Error */
function checkSettlement(settlement: BudgetSettlement): void {
  checkDispatchKey(settlement);
  const { outcome, until = 0 } = settlement;
  if (!['applied', 'in_doubt', 'not_applied', 'pending'].includes(outcome))
    throw new Error('outcome must be applied, in_doubt, not_applied or pending');
  if (!Number.isSafeInteger(until) || until > Date.now() + 2 * LONGEST) throw new Error('until must be a time within two years');
}

function checkDispatchKey(key: { key: string; dispatch: number }): void {
  if (typeof key !== 'object' || key === null) throw new Error('one object is expected');
  if (typeof key.key !== 'string' || !/^hf_[0-9a-f]{40}$/.test(key.key)) throw new Error('key must be an idempotency key');
  if (!within(key.dispatch, 1)) throw new Error('dispatch must be an integer from 1');
}

function within(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= LONGEST;
}

function viewOf(name: BudgetName, book: Book, now: number): BudgetView {
  const { terms, open, spent } = pruneBook(book, now);
  const sum = usedAmount(book, now);
  const remaining = terms === null || sum > BigInt(terms.cap) ? 0n : BigInt(terms.cap) - sum;
  const doubts = open.filter(({ state }) => state === 'in_doubt');
  return {
    ...name,
    cap: terms?.cap ?? null,
    window_ms: terms?.window_ms ?? null,
    used: String(sum),
    left: String(remaining),
    reserved: open.length - doubts.length,
    in_doubt: doubts.length,
    over: spent.reduce((total, { over }) => total + over, 0) + open.filter(({ over }) => over).length,
  };
}

/** For the Web UI. */
function details(view: BudgetView): string {
  const { agent, budget: called, per, of, cap, used: spent, left, reserved, in_doubt, over } = view;
  return [
    `## Budget ${inlineCode(called)} of agent ${inlineCode(agent)}`,
    '',
    `- per ${per}${of === '' ? '' : `: ${inlineCode(of)}`}`,
    `- used ${spent} of ${cap ?? '?'}; left ${left}`,
    `- reserved now: ${reserved} calls; in doubt, and counted: ${in_doubt}; beyond the cap by approval: ${over}`,
  ].join('\n');
}
