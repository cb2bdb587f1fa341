/** Who has sent an update: its handler is not told, so this is taken where it arrives, like the signals. */
import { currentUpdateInfo } from '@temporalio/workflow';
import { beginningOf } from './signals';

/** By update id; those that a validator refuses are never asked for. */
const senders = new Map<string, string>();
/** Temporal lets no more than 10 be under way. */
const MOST = 100;

export function updateArrived(id: string, identity: string): void {
  if (senders.size >= MOST) senders.delete(senders.keys().next().value!);
  senders.set(id, beginningOf(identity, 200));
}

/** Within an update's handler: what its sender's client claims to be; empty when it is not known. */
export function updateSender(): string {
  const id = currentUpdateInfo()?.id ?? '';
  const identity = senders.get(id) ?? '';
  senders.delete(id);
  return identity;
}
