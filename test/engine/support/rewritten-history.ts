/** Somebody has written into Temporal's database. */
import type { Client } from '@temporalio/client';

/**
 * Changes Temporal's answers from then on: in each payload that has one text, another takes its place.
 * @param where which payloads, by their text
 * @returns ends it
 */
export function rewritten({ workflowService }: Client['connection'], where: RegExp, from: string, to: string): () => void {
  const genuine = workflowService.getWorkflowExecutionHistory;
  workflowService.getWorkflowExecutionHistory = async function (this: unknown, ...args: [never]) {
    const answer = await genuine.apply(workflowService, args);
    for (const event of answer.history?.events ?? []) {
      const { activityTaskCompletedEventAttributes: ran, workflowExecutionCompletedEventAttributes: ended } = event;
      for (const payload of [...(ran?.result?.payloads ?? []), ...(ended?.result?.payloads ?? [])]) {
        const text = Buffer.from(payload.data as Uint8Array).toString();
        if (where.test(text)) payload.data = Buffer.from(text.replaceAll(from, to));
      }
    }
    return answer;
  } as typeof genuine;
  return () => void (workflowService.getWorkflowExecutionHistory = genuine);
}
