/**
 * What a request does to a turn or a session happens once for all requests of its operation: those that overlap, and those
 * that come after an answer that was lost. The history of what it was done to says whether it was.
 */
import { nameOf, NOTHING_DONE, type Act, type Done, type DoneBefore } from '../../client/turns/done-before';
import { DecisionNotAccepted } from '../../client/errors';
import type { SendAnswer } from '../../shared/turn/session';
import type { Operation } from './idempotency';

interface Changeable<H> {
  named(name: string): H;
  doneBefore(act: Act): Promise<DoneBefore>;
}

/**
 * Without a key each request is done by itself.
 * @param again the answer, from what was done before
 * @throws what `act` throws, where nothing was done before
 */
export async function once<H extends Changeable<H>, T>(
  operation: Operation | null,
  subject: H,
  act: (subject: H) => Promise<T>,
  again: (done: Done) => T,
): Promise<T> {
  if (operation === null) return act(subject);
  const before = operation.repeated ? await subject.doneBefore(operation.act) : NOTHING_DONE;
  if (before.accepted !== null) return again(before.accepted);
  try {
    return await act(subject.named(nameOf(operation.act, before)));
  } catch (error) {
    if (!(error instanceof DecisionNotAccepted)) throw error;
    const { accepted } = await subject.doneBefore(operation.act);
    if (accepted === null) throw error;
    return again(accepted);
  }
}

/** For what is answered the same each time. */
export const nothing = (): void => undefined;

/** Of a message to a session: as the session answered it. */
export function sentBefore({ answer }: Done): SendAnswer {
  return answer as unknown as SendAnswer;
}
