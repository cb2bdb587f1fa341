import { Context } from '@temporalio/activity';
import type { ReadCardInput, ReadCardOutput } from '../../shared/activity-io';
import { readCardPart } from '../../record/parts';
import type { Dependencies } from '../ports';

/** The card of a question that goes on in another run, as it was shown. */
export async function readCard({ store }: Dependencies, { card_ref }: ReadCardInput): Promise<ReadCardOutput> {
  const { card, digest } = readCardPart(await store.getPart(card_ref));
  return { card, digest, run_id: Context.current().info.workflowExecution?.runId ?? '' };
}
