/** `holdfast sessions`: lists sessions; shows, renames or closes one of them. */
import type { Command } from 'commander';
import type { SessionSummary } from '../shapes/session';
import { costText } from '../shared/turn/turn-view';
import { oneLine } from './support/describe';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function sessions(program: Command, output: () => Output): void {
  program
    .command('sessions')
    .description('Conversations, newest first; with an id, one of them.')
    .argument('[session]')
    .option('--agent <name>', 'only of this agent')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .option('--rename <title>', 'give the session another title')
    .option('--close', 'take no more messages; what was taken is run')
    .action(async (id: string | undefined, options: { agent?: string; limit: number; rename?: string; close?: boolean }) => {
      if (id !== undefined) return one(id, options, output());
      const summaries: SessionSummary[] = [];
      await withClient(async (client) => {
        for await (const session of client.sessions(options)) summaries.push(session);
      });
      const lines = summaries.map(({ session_id, state, agent, started_at, title }) =>
        `${session_id.padEnd(34)} ${state.padEnd(7)} ${agent.padEnd(18)} ${started_at}  ${oneLine(title ?? '', 60)}`.trimEnd(),
      );
      output().answer(summaries, lines.length > 0 ? lines : ['There are no sessions.']);
    });
}

async function one(id: string, { rename, close }: { rename?: string; close?: boolean }, output: Output): Promise<void> {
  const { userName } = await import('./support/decide-options.js');
  const view = await withClient(async (client) => {
    const session = client.session(id);
    if (rename !== undefined) await session.rename(rename);
    if (close) await session.close({ by: userName() });
    return session.status();
  });
  const { usage, cached_share, held, running, queue, last } = view;
  output.answer(view, [
    `${view.session_id}  ${view.state}  ${oneLine(view.title ?? '', 100)}`.trimEnd(),
    `  agent ${view.agent}, with ${oneLine(view.requester)}; ${view.turns} turns have ended, ${queue.length} wait`,
    `  ${usage.input_tokens + usage.cache_read_tokens + (usage.cache_creation_tokens ?? 0)} tokens in, ${usage.output_tokens} out, ${costText(usage)}${cached_share === null ? '' : `; cached ${Math.round(cached_share * 100)} %`}`,
    ...(running ? [`  runs: ${running.turn_id}`] : []),
    ...(held ? [`  held: ${held.turn_id} ended ${held.state}${held.reason ? `, ${oneLine(held.reason, 200)}` : ''}`] : []),
    ...last.slice(-5).map(({ turn_id, state }) => `  ${turn_id}  ${state}`),
    ...(view.head ? [`  head ${view.head}`] : []),
  ]);
}
