/** Sends the messages about a turn: notifications to people who have to decide, and callbacks to the program that began the turn. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { NotifyInput } from '../../shared/io/activities';
import { boundedCard } from '../../shared/approval/message-card';
import { isJsonObject } from '../../shared/json/json';
import type { CallbackInput, CallbackMessage } from '../../shared/wire/callback';
import { publicLink } from '../../shared/wire/public-link';
import { messageCard } from '../../record/message-card';
import { readCardPart } from '../../record/parts';
import type { Delivery, Dependencies } from '../ports';
import { checkOwnTurn, checkTurnsOwn } from '../checks/own-turn';

export async function notify(deps: Dependencies, question: NotifyInput): Promise<void> {
  const { notifier, store } = deps;
  if (!notifier) return;
  await checkOwnTurn(deps, question.turn);
  const { turn, kind, digest, expires_at, head = null, card_ref } = question;
  const text = card_ref === null ? question.card : readCardPart(await store.getPart(card_ref)).card;
  const asked = { kind: kind === 'in_doubt' ? ('in_doubt' as const) : ('approval' as const), digest, expires_at, head, card_ref };
  const facts = await messageCard(store, asked, turn.requester);
  const run_id = Context.current().info.workflowExecution?.runId ?? null;
  await notifier.tell(question, text ?? null, overAttempts(), { facts, run_id });
}

/** Keeps the ways in the heartbeat, which the next attempt gets on any worker. */
function overAttempts(): Delivery {
  const context = Context.current();
  const before = (context.info.heartbeatDetails as { reached?: string[] } | undefined)?.reached ?? [];
  const ways = new Set(before);
  const markReached = (way: string) => {
    ways.add(way);
    context.heartbeat({ reached: [...ways] });
  };
  return { done: ways, reached: markReached };
}

export async function deliverCallback(deps: Dependencies, input: CallbackInput): Promise<void> {
  const { callbacks, store } = deps;
  if (!callbacks) throw new Error('This worker sends no callbacks: set HOLDFAST_CALLBACK_HOSTS and HOLDFAST_CALLBACK_SECRET.');
  // A callback is signed, and its receiver trusts it: only a workflow that the turn started may send one.
  await checkTurnsOwn(deps, input.turn);
  const part = await store.getPart(input.callback_ref);
  const url = isJsonObject(part) && part.v === 'holdfast.callback/1' ? part.url : undefined;
  if (typeof url !== 'string') throw ApplicationFailure.nonRetryable('The part names no callback address.', 'holdfast.callback');
  try {
    await callbacks.send(url, input.id, await wholeMessage(deps, input));
  } catch (error) {
    const { name, message } = error as Error;
    throw name === 'CallbackNotAllowed' ? ApplicationFailure.nonRetryable(message, 'holdfast.callback') : error;
  }
}

/** With the card of the call that people are asked about, and the link to it: neither is in history. */
async function wholeMessage({ store, pageUrl }: Dependencies, input: CallbackInput): Promise<CallbackMessage> {
  const { turn, question, message } = input;
  const digest = question === undefined ? {} : { digest: question.digest };
  const card = question === undefined ? null : await messageCard(store, question, turn.requester);
  return {
    ...message,
    card: card === null ? null : boundedCard(card),
    link: publicLink(pageUrl, { turn_id: turn.turn_id, ...digest }),
  };
}
