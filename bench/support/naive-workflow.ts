/**
 * The loop that a team writes first: the transcript is a variable, the model an activity, and the tools a `Promise.all` of
 * activities. It has no chain, no admission and no digests, so it shows what those cost.
 */
import { proxyActivities } from '@temporalio/workflow';
import type { NaiveActivities } from './naive-activities';

const { model, tool } = proxyActivities<NaiveActivities>({ startToCloseTimeout: '1 minute' });

export async function naiveTurn(message: string): Promise<string> {
  const messages: unknown[] = [{ role: 'user', content: message }];
  for (;;) {
    const answer = await model(messages);
    messages.push({ role: 'assistant', content: answer.content });
    if (answer.toolUses.length === 0) return answer.text;
    const results = await Promise.all(answer.toolUses.map((use) => tool(use.name, use.input as { key: string })));
    messages.push({
      role: 'user',
      content: results.map((result, index) => ({
        type: 'tool_result',
        tool_use_id: answer.toolUses[index]!.id,
        content: JSON.stringify(result),
      })),
    });
  }
}
