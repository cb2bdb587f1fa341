/** `holdfast complete`: completes a call that ends later, by its token. */
import { Option, type Command } from 'commander';
import type { CompletionOutcome } from '../completions/token';
import type { Json } from '../shared/json/json';
import { jsonValue } from './answer';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { readStdin } from './support/read-stdin';

interface CompleteOptions {
  result?: Json;
  error?: string;
}

export function complete(program: Command, output: () => Output): void {
  program
    .command('complete')
    .description('Completes a call that ends later (ctx.later), once. A late, second or unfit completion changes nothing.')
    .argument('<token>', 'the token, or the whole address; - reads it from standard input, so that no list of processes shows it')
    .addOption(new Option('--result <json>', 'the result, as JSON').argParser(jsonValue).conflicts('error'))
    .option('--error <text>', 'the work was not done, and why')
    .action(async (text: string, options: CompleteOptions) => {
      const token = tokenIn(text === '-' ? (await readStdin()).trim() : text);
      await send(token, outcomeOf(options));
      output().answer({ accepted: true }, ['Accepted: the call has ended with it.']);
    });
}

function tokenIn(text: string): string {
  const token = text.split('/').at(-1)!;
  if (token === '') throw new UsageError('There is no token. Give it, or the address that the tool has passed on.');
  return token;
}

function outcomeOf({ result, error }: CompleteOptions): CompletionOutcome {
  if (result !== undefined) return { result };
  if (error !== undefined) return { error };
  throw new UsageError('Say how the call has ended: --result JSON, or --error TEXT.');
}

/** Through the gateway, if the settings name one. */
async function send(token: string, outcome: CompletionOutcome): Promise<void> {
  const config = (await import('../config.js')).loadConfig();
  if (config.gateway !== null) {
    const { askGateway } = await import('./support/gateway-client.js');
    await askGateway(config.gateway, 'POST', `/v1/completions/${encodeURIComponent(token)}`, outcome);
    return;
  }
  const [{ complete: completeCall }, { openStoreOf }, { withClient }] = await Promise.all([
    import('../completions/complete.js'),
    import('../store/open-store.js'),
    import('./support/with-client.js'),
  ]);
  const store = await openStoreOf(config);
  try {
    await withClient((client) => completeCall({ store, client: async () => client }, token, outcome));
  } finally {
    await store.close();
  }
}
