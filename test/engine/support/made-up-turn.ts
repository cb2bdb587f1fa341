import { proxyActivities } from '@temporalio/workflow';

/** Somebody who may start workflows could start this as a turn: its history says what he likes, and so do the answers of his worker. */
export async function turn({ activities }: { activities: { name: string; input: unknown; answer: unknown }[] }): Promise<void> {
  for (const { name, input, answer } of activities) {
    const own = proxyActivities<Record<string, (input: unknown, answer: unknown) => Promise<unknown>>>({
      startToCloseTimeout: '20 seconds',
    });
    await own[name]!(input, answer);
  }
}
