import { Context } from '@temporalio/activity';
import type { NotifyInput } from '../shared/activity-io';
import type { Dependencies } from './dependencies';
import { checkOwnTurn } from './own-workflow';

/** Tells whoever must decide. */
export interface Notifier {
  /**
   * The same `question` again is the same message: a repetition must be harmless.
   * @param delivery for notifiers that know several ways
   * @throws to be tried again
   */
  tell(question: NotifyInput, card: string | null, delivery: Delivery): Promise<void>;
}

/** By which ways people have been reached, over all attempts to tell them of one question. */
export interface Delivery {
  readonly done: ReadonlySet<string>;
  reached(way: string): void;
}

export async function notify(deps: Dependencies, question: NotifyInput): Promise<void> {
  const { notifier, store } = deps;
  if (!notifier) return;
  await checkOwnTurn(deps, question.turn);
  const part = question.card_ref === null ? null : ((await store.getPart(question.card_ref)) as { card: string });
  await notifier.tell(question, part?.card ?? question.card ?? null, overAttempts());
}

/** Kept in the heartbeat, which the next attempt is given, on whichever worker it runs. */
function overAttempts(): Delivery {
  const context = Context.current();
  const before = (context.info.heartbeatDetails as { reached?: string[] } | undefined)?.reached ?? [];
  const done = new Set(before);
  const reached = (way: string) => {
    done.add(way);
    context.heartbeat({ reached: [...done] });
  };
  return { done, reached };
}
