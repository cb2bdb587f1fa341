import { ApplicationFailure } from '@temporalio/activity';
import type { CallbackInput } from '../../shared/callback';
import { isJsonObject } from '../../shared/json';
import type { Dependencies } from '../ports';
import { checkTurnsOwn } from '../checks/own-workflow';

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
