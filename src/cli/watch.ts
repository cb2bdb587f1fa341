/** `holdfast watch`: prints the events of a turn as they come. */
import type { Command } from 'commander';
import { EXIT, Exit } from './support/exit';
import { follow } from './support/follow';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';

export function watch(program: Command, output: () => Output): void {
  program
    .command('watch')
    .description('The events of a turn, from its beginning, until it ends or Ctrl-C.')
    .argument('<turn>')
    .action((turnId: string) =>
      withClient(async (client) => {
        const stop = new AbortController();
        void untilStopped().then(() => stop.abort());
        await follow(await client.turnNamed(turnId), output(), { signal: stop.signal });
        if (stop.signal.aborted) throw new Exit(EXIT.interrupted);
      }),
    );
}
