/** Completes a call by its token: for the gateway's route, and for the command. */
import { DecisionNotAccepted, TurnNotFound } from '../client/errors';
import type { HoldfastClient } from '../client/holdfast-client';
import type { Store } from '../store/store';
import { findByToken, isTooDeep, putCompletion, TOO_DEEP, type CompletionOutcome } from './token';

/** By which the clock of the worker that made the token may differ from ours. */
const CLOCKS_MS = 60_000;

/** There is no call of this token. */
export class UnknownToken extends Error {
  override readonly name = 'UnknownToken';
  constructor() {
    super('No call is completed with this token.');
  }
}

/**
 * The call ends with the outcome, or nothing changes.
 * @param mayStore is called before anything is stored, and throws where that is too much
 * @throws UnknownToken; DecisionNotAccepted with the reason: the call has ended, the result does not fit its tool …; NoWorker
 */
export async function complete(
  { store, client }: { store: Store; client: () => Promise<HoldfastClient> },
  token: string,
  outcome: CompletionOutcome,
  mayStore: () => Promise<void> = async () => undefined,
): Promise<void> {
  const found = await findByToken(store, token);
  if (found === null) throw new UnknownToken();
  if (isTooDeep(outcome)) throw new DecisionNotAccepted(`Not accepted: ${TOO_DEEP}.`);
  const { turn_id, call_id, expires_at } = found.call;
  if (Date.parse(expires_at) + CLOCKS_MS < Date.now())
    throw new DecisionNotAccepted(`Not accepted: the call ended at ${expires_at}.`);
  await mayStore();
  const ref = await putCompletion(store, found, outcome);
  try {
    await (await client()).turn(turn_id).complete(call_id, ref);
  } catch (error) {
    if (error instanceof TurnNotFound) throw new DecisionNotAccepted('Not accepted: the turn of this call is gone.');
    throw error;
  }
}
