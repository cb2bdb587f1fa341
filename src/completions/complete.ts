/** Completes a call by its token: for the gateway's route, and for the command. */
import { DecisionNotAccepted, TurnNotFound } from '../client/errors';
import type { HoldfastClient } from '../client/holdfast-client';
import type { Store } from '../store/store';
import { findByToken, isTooDeep, putCompletion, TOO_DEEP, type CompletionOutcome } from './token';

/** There is no call of this token. */
export class UnknownToken extends Error {
  override readonly name = 'UnknownToken';
  constructor() {
    super('No call is completed with this token.');
  }
}

/**
 * The call ends with the outcome, or nothing changes.
 * @throws UnknownToken; DecisionNotAccepted with the reason: the call has ended, the result does not fit its tool …; NoWorker
 */
export async function complete(
  { store, client }: { store: Store; client: () => Promise<HoldfastClient> },
  token: string,
  outcome: CompletionOutcome,
): Promise<void> {
  const found = await findByToken(store, token);
  if (found === null) throw new UnknownToken();
  if (isTooDeep(outcome)) throw new DecisionNotAccepted(`Not accepted: ${TOO_DEEP}.`);
  const { turn_id, call_id } = found.call;
  const ref = await putCompletion(store, found, outcome);
  try {
    await (await client()).turn(turn_id).complete(call_id, ref);
  } catch (error) {
    if (error instanceof TurnNotFound) throw new DecisionNotAccepted('Not accepted: the turn of this call is gone.');
    throw error;
  }
}
