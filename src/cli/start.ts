/** `npm start`: starts the embedded stack, and runs one turn of credit-analyst to its end. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { SigningKey } from '../attestation/signing-key';
import type { TurnHandle } from '../client/turns/turn-handle';
import { defaultSigningKey, type Config } from '../config';
import type { Stack } from '../devserver/stack';
import { TerminalQuestions } from './support/terminal-questions';
import { withDevApprovals } from './support/dev-approvals';
import { configWith, dataOption, type DataOption } from './support/data-option';
import { EXIT, Exit, exitOf } from './support/exit';
import { follow } from './support/follow';
import type { Output } from './support/output';
import { needShowcase } from './support/showcase';
import { decideDemoCall, type DemoApprover } from './support/demo-decision';
import { untilNpmIsGone, untilStopped } from './support/until-stopped';
import { visible } from '../shared/text/visible';

const MESSAGE = 'Prepare a credit memo on AAPL against its peers and send it to credit-committee@bank.example.';

interface StartOptions extends DataOption {
  hold?: boolean;
  yes?: boolean;
  db?: string;
}

export function start(program: Command, output: () => Output): void {
  program
    .command('start')
    .description('Starts the embedded stack and runs one turn of credit-analyst to its end, with an approval on the way.')
    .option('--hold', 'wait for a decision from outside: the Web UI, or `holdfast approve`')
    .option('--yes', 'without a terminal: approve as demo-operator; default: wait for a decision from outside')
    .option('--db <file>', 'keep the state in this SQLite file; default: in memory')
    .addOption(dataOption())
    .argument('[text...]', 'another message for the analyst')
    .action(async (words: string[], options: StartOptions) => {
      const say = (line: string) => output().say(line);
      needShowcase();
      const config = await withDevApprovals(configWith(options), false, say);
      const stopped = Promise.race([untilStopped(), untilNpmIsGone()]).then((): never => {
        throw new Exit(EXIT.interrupted);
      });
      stopped.catch(() => undefined);
      const { startStack } = await import('../devserver/stack.js');
      const key = await keyFor(config);
      const stack = await Promise.race([startStack({ config, say, db: options.db }), stopped]);
      const message = words.join(' ') || MESSAGE;
      try {
        await Promise.race([
          oneTurn({ config, stack, message, key, decides: decidesWith(options, output()), output: output() }),
          stopped,
          stack.broken,
        ]);
      } finally {
        await stack.stop();
      }
    });
}

/** If only signed decisions count, the demo's operator signs with this machine's gateway key. */
async function keyFor(config: Config): Promise<SigningKey | null> {
  if (config.approvals !== 'attested') return null;
  const { keyOf } = await import('../gateway/serve.js');
  return keyOf(config);
}

function decidesWith({ hold, yes }: StartOptions, { json }: Output): DemoApprover {
  if (hold === true) return 'people outside';
  if (process.stdin.isTTY && process.stdout.isTTY && !json) return 'the terminal';
  return yes === true ? 'demo-operator' : 'people outside';
}

interface Story {
  config: Config;
  stack: Stack;
  message: string;
  key: SigningKey | null;
  decides: DemoApprover;
  output: Output;
}

async function oneTurn({ config, stack, message, key, decides, output }: Story): Promise<void> {
  const { address, namespace, uiUrl } = stack;
  const temporal = { address, namespace, connectionOptions: { address } };
  const { HoldfastClient } = await import('../client/holdfast-client.js');
  const signingKey = config.signingKey ?? (key && defaultSigningKey(config.home));
  const client = await HoldfastClient.connect({ ...config, temporal, uiUrl, signingKey });
  const mailsBefore = await mails(stack.outbox);
  try {
    const turn = await client.start({ agent: 'credit-analyst', message });
    output.say(`turn ${turn.id}\n${turn.uiUrl ?? ''}`);
    const questions = new TerminalQuestions();
    const moot = new Map<string, AbortController>();
    const decisions: Promise<void>[] = [];
    await follow(turn, output, {
      questions,
      onEvent: (event) => {
        if (event.type === 'approval_requested') {
          const controller = new AbortController();
          moot.set(event.digest, controller);
          decisions.push(
            decideDemoCall({ turn, digest: event.digest, key, decides, output, questions, signal: controller.signal }),
          );
        }
        if (event.type === 'approval_decided') moot.get(event.digest)?.abort();
        if (event.type === 'tool_error' && event.effect === 'in_doubt') output.say(inDoubt(turn, event.call));
      },
    });
    for (const controller of moot.values()) controller.abort();
    await Promise.all(decisions);
    const view = await turn.result();
    const newMails = (await mails(stack.outbox)).filter((name) => !mailsBefore.includes(name));
    output.say(
      [
        '',
        ...visible(view.text).split('\n'),
        '',
        ...newMails.map((name) => `mail: ${join(stack.outbox!, name)}`),
        `${view.state}: ${view.step} steps, ${view.calls.length} calls, ${newMails.length} mail${newMails.length === 1 ? '' : 's'}; transcript head ${view.head ?? 'none'}`,
        ...(view.reason ? [view.reason] : []),
      ].join('\n'),
    );
    const [{ investigate }, { ownKeys }] = await Promise.all([
      import('./support/investigate.js'),
      import('./support/read-bundle.js'),
    ]);
    const folder = join(config.home, 'incidents', turn.id);
    const { lines, ...record } = await investigate(client, { turn: turn.id, folder, keys: () => ownKeys(config) });
    output.answer({ ...view, mails: newMails, record }, ['', ...lines]);
    if (exitOf(view.state) !== EXIT.done) throw new Exit(exitOf(view.state));
    if (!record.good) throw new Exit(EXIT.failed);
  } finally {
    await client.close();
  }
}

function inDoubt(turn: TurnHandle, call: string): string {
  return `    Call ${call} is in doubt: nobody knows whether it took effect, so it is not repeated. Look, then: npx holdfast settle ${turn.id} applied|not_applied --call DIGEST (see \`holdfast pending\`)`;
}

async function mails(outbox: string | null): Promise<string[]> {
  if (outbox === null) return [];
  return (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
}
