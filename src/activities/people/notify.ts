import { Context } from '@temporalio/activity';
import type { NotifyInput } from '../../shared/activity-io';
import type { Delivery, Dependencies } from '../ports';
import { checkOwnTurn } from '../checks/own-workflow';

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
