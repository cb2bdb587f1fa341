/**
 * A run takes only so many events and signals. Before it is full the turn goes on in another one: with its calls,
 * decisions and step number, and only while all of it waits for people.
 */
import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { TurnContext } from '../shared/activity-io';
import type { Decision } from '../shared/approval';
import type { Json } from '../shared/json';
import { isPacked, packed, unpacked } from '../shared/packed';
import { readCard } from './activities';
import { goOn } from './dispatch';
import type { Dispatch } from './dispatch-types';
import type { OpenStep, Progress, TurnData } from './state';
import { isBounded } from './is-bounded';
import { fitCalls, fitSubs, withInputs, withoutCard, withoutCopies } from './state-limits';
import { withoutCards } from './sub-turns';

/** Temporal takes 10,000 signals a run, and says by itself when a history has grown long. */
export function isFull(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Runs the body; `another` begins the next run when this one is full while it waits. */
export function unlessFull<T>({ work, desk, data }: Dispatch, body: () => Promise<T>, another: () => Promise<never>): Promise<T> {
  const waits = () => isFull() && data.open !== undefined && work.none && desk.still;
  // A cancelled turn may have to wait for an effect still: this watch goes on beside it.
  const full = CancellationScope.nonCancellable(() => condition(waits)).then(another);
  return Promise.race([body(), full]);
}

/** Without the cards, which are in the store. */
export function resumable(data: TurnData): Json {
  const subs = data.subs ? withoutCards(data.subs) : undefined;
  if (!isBounded())
    return { ...data, ...(subs ? { subs } : {}), ...(data.open ? { open: unshown(data.open) } : {}) } as unknown as Json;
  fitCalls(data);
  const open = data.open ? { open: withoutCopies(data.open) } : {};
  return packed({ ...data, ...(subs ? { subs: fitSubs(subs) } : {}), ...open }) as unknown as Json;
}

/** As older builds passed it on. */
function unshown(open: OpenStep): OpenStep {
  const progress = Object.entries(open.progress).map(([id, kept]) => [id, withoutCard(kept)] as const);
  return { ...open, progress: Object.fromEntries(progress) };
}

/** Null: there was no run before. */
export function resumed(resume: Json | undefined): TurnData | null {
  if (resume === undefined) return null;
  const data = (isPacked(resume) ? unpacked(resume) : resume) as unknown as TurnData;
  return data.open ? { ...data, open: withInputs(data.open) } : data;
}

/** Takes up the step that another run has left open. */
export async function resume(context: Dispatch, open: OpenStep): Promise<void> {
  await context.work.during(async () => {
    for (const kept of Object.values(open.progress)) await carryOver(context.turn, kept);
  });
  await goOn(context, open);
}

/** A decision counts in the run that asked: this run takes over the question, its card, and what was said on it. */
async function carryOver(turn: TurnContext, kept: Progress): Promise<void> {
  if (kept.at === 'question') {
    const { question } = kept;
    const shown = await readCard({ turn, card_ref: question.card_ref });
    Object.assign(question, { ...shown, approvals: carried(question.approvals, shown.run_id) });
  } else if (kept.at === 'ready' && kept.approvals[0]?.card_ref) {
    const { run_id } = await readCard({ turn, card_ref: kept.approvals[0].card_ref });
    kept.approvals = carried(kept.approvals, run_id);
  }
}

function carried(approvals: Decision[], run_id: string): Decision[] {
  return approvals.map((given) => ({ ...given, run_id, given_in: given.given_in ?? given.run_id }));
}
