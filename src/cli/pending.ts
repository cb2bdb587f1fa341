/** `holdfast pending`: lists the calls that wait for a person, or watches for new ones. */
import { nameOfVote } from '../shared/approval/approval';
import type { Command } from 'commander';
import { loadConfig } from '../config';
import type { HoldfastClient } from '../client/holdfast-client';
import type { PendingTurn, Question, WaitingCall } from '../shapes/turn-view';
import type { NewQuestion } from '../client/approvals/watch-pending';
import { visible } from '../shared/text/visible';
import { questionExcerpt, questionLines } from './support/card-excerpt';
import { commandFor } from './support/command-for';
import { describeKey, oneLine } from './support/describe';
import { freezeLines, frozenNow } from './support/freezes';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';
import { errorMessage } from '../shared/text/error-message';

const BELL = '\u0007';

export function pending(program: Command, output: () => Output): void {
  program
    .command('pending')
    .description('Calls that wait for a person: approvals, questions of the model, and effects in doubt.')
    .option('--watch', 'stay, and print new ones as they come, with a bell on a terminal; Ctrl-C ends it')
    .action(async ({ watch }: { watch?: boolean }) => {
      for (const line of await freezeLines(frozenNow(loadConfig()))) output().note(line);
      if (watch) return watchUntilStop(output());
      const turns = await withClient((client) => client.pending());
      const lines = turns.flatMap(describe);
      output().answer(turns, lines.length > 0 ? lines : ['Nothing waits for a person.']);
    });
}

async function watchUntilStop(output: Output): Promise<void> {
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  const reportedFaults = new Set<string>();
  const onFault = (error: unknown) => {
    const what = visible(errorMessage(error));
    if (!reportedFaults.has(what)) output.note(`Cannot read the waiting calls now, trying again: ${what}`);
    reportedFaults.add(what);
  };
  await withClient(async (client) => {
    output.note('Watching; Ctrl-C ends it.');
    for await (const question of client.watchPending({ signal: stop.signal, onFault })) {
      reportedFaults.clear();
      await tell(client, question, output);
    }
  });
}

/** Prints a new question with its whole card: people who decide by these lines cannot read elsewhere what the Web UI cuts. */
export async function tell(client: Pick<HoldfastClient, 'wholeCard'>, question: NewQuestion, output: Output): Promise<void> {
  const whole = await withWholeCard(client, question, output);
  output.answer(whole, announce(whole, process.stdout.isTTY));
}

async function withWholeCard(
  client: Pick<HoldfastClient, 'wholeCard'>,
  question: NewQuestion,
  output: Output,
): Promise<NewQuestion> {
  const { turn, call, card } = question;
  const owner = { turn_id: call.of?.turn_id ?? turn.turn_id, requester: turn.requester };
  try {
    return { ...question, card: { ...card, markdown: await client.wholeCard({ card }, owner) } };
  } catch (error) {
    const why = errorMessage(error);
    output.note(`The rest of the card of call ${call.id} (${oneLine(call.tool, 60)}) cannot be read: ${oneLine(why, 300)}`);
    return question;
  }
}

/** A new question as lines; on a terminal the bell rings for questions that came while the command was watching. */
export function announce({ turn, call, card, waited }: NewQuestion, terminal: boolean): string[] {
  const bell = terminal && !waited ? BELL : '';
  return [bell + headOf(turn), ...describeCall(turn, { ...call, card }, questionLines), ''];
}

function describe(turn: PendingTurn): string[] {
  const away =
    turn.unreachable === null
      ? []
      : [`  ${oneLine(turn.tools.join(', '))}: nobody can be asked now: ${oneLine(turn.unreachable, 300)}`];
  return [headOf(turn), ...away, ...turn.calls.flatMap((call) => describeCall(turn, call, questionExcerpt))];
}

function headOf(turn: NewQuestion['turn']): string {
  return `${turn.turn_id}${describeKey(turn.key)}  ${turn.agent}, asked by ${oneLine(turn.requester)}${turn.ui_url ? `  ${turn.ui_url}` : ''}`;
}

/** @param lines prints the whole card, for people who decide by what is printed; or its first lines, in a list */
function describeCall({ turn_id }: NewQuestion['turn'], call: Question, lines: (question: Question) => string[]): string[] {
  const { expires_at } = call.approval;
  const expires = expires_at && call.state === 'waiting' ? `, expires ${expires_at}` : '';
  return [
    `  ${call.id} ${oneLine(call.tool, 60)}  ${call.state}${expires}${approvalOf(call)}`,
    ...lines(call).map((line) => `  │ ${line}`),
    `    holdfast ${commandFor(call.card.kind, turn_id, call.digest)}`,
  ];
}

/** How many have decided so far, and who; whether only signed decisions count. */
function approvalOf({ approval, state }: WaitingCall): string {
  const { quorum, channel, decisions } = approval;
  const names = decisions.map((one) => oneLine(nameOfVote(one), 120)).join(', ');
  const several = quorum > 1 && state === 'waiting' ? `, ${decisions.length} of ${quorum} decided${names && `: ${names}`}` : '';
  return `${several}${channel === 'attested' ? ', signed decisions only' : ''}`;
}
