/** Whoever has said something that the model reads has a hand in all that it proposes from then on. */
import { patched } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/activity-io';
import { samePerson } from '../../shared/approval/approval';
import type { TurnData } from './state';

/** Names of those who have said something travel with every call. */
const MOST_HEARD = 40;

export function addMakers(data: TurnData, { requester }: Pick<TurnContext, 'requester'>, people: readonly string[]): void {
  const { waiting = [], by = [], signed = [] } = data.steered ?? {};
  const added = people.reduce((known, one) => {
    const isKnown = one === '' || [requester, ...known].some((other) => samePerson(other, one));
    return isKnown || known.length >= MOST_HEARD ? known : [...known, one];
  }, by);
  if (added.length > by.length) data.steered = { waiting, by: added, signed };
}

/** As {@link addMakers}, of what stands beside a decision. Histories from before that counted go on as they were. */
export function addMaker(data: TurnData, turn: Pick<TurnContext, 'requester'>, by: string): void {
  if (patched('words-beside-decisions')) addMakers(data, turn, [by]);
}
