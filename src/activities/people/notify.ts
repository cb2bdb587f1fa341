/** Messages to people and programs, sent for the turn that they are about. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { NotifyInput } from '../../shared/activity-io';
import type { Delivery, Dependencies } from '../ports';
import { checkOwnTurn, checkTurnsOwn } from '../checks/own-turn';
import type { CallbackInput } from '../../shared/wire/callback';
import { isJsonObject } from '../../shared/json/json';

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

export async function deliverCallback(deps: Dependencies, input: CallbackInput): Promise<void> {
  const { callbacks, store } = deps;
  if (!callbacks) throw new Error('This worker sends no callbacks: set HOLDFAST_CALLBACK_HOSTS and HOLDFAST_CALLBACK_SECRET.');
  // It is signed, so that whoever is told believes it.
  await checkTurnsOwn(deps, input.turn);
  const part = await store.getPart(input.callback_ref);
  const url = isJsonObject(part) && part.v === 'holdfast.callback/1' ? part.url : undefined;
  if (typeof url !== 'string') throw ApplicationFailure.nonRetryable('The part names no callback address.', 'holdfast.callback');
  try {
    await callbacks.send(url, input.id, input.message);
  } catch (error) {
    const { name, message } = error as Error;
    throw name === 'CallbackNotAllowed' ? ApplicationFailure.nonRetryable(message, 'holdfast.callback') : error;
  }
}
