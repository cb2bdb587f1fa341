/**
 * Asks in the terminal about everything that waits for a person in one turn: approvals, questions and calls in doubt, of the turn and of its
 * sub-agents. It queries the turn instead of reading events: a sub-agent's question is no event of the parent turn.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Card } from '../../shapes/card';
import type { Question } from '../../shapes/turn-view';
import type { TurnHandle, WaitingNow } from '../../client/turns/turn-handle';
import { visible } from '../../shared/text/visible';
import { EndOfInput, type TerminalQuestions } from './terminal-questions';
import { questionExcerpt, questionLines } from './card-excerpt';
import { commandFor } from './command-for';
import { answerPrompt, readAnswer } from './prompted-answer';
import { userName } from './decide-options';
import { oneLine } from './describe';
import type { Output } from './output';
import { errorMessage } from '../../shared/text/error-message';

const LOOK_EVERY = 1500;
const APPROVE = '    approve? [y]es / [n]o, with a reason / enter: decide elsewhere  ';
const SETTLE = '    did it take effect? [a]pplied / [n]ot applied / enter: settle elsewhere  ';

interface Asking {
  output: Output;
  /** Null: nobody can be asked here; then waiting calls are only printed. */
  questions: TerminalQuestions | null;
  /** Called for Ctrl-D at a question. */
  onEnd: () => void;
}

export class WaitingCallPrompt {
  private readonly open = new Map<string, AbortController>();
  private soon = new AbortController();
  private isReachable = true;
  /** Reasons that were printed for calls that nobody can be asked about. */
  private readonly reportedReasons = new Set<string>();

  constructor(
    private readonly turn: TurnHandle,
    private readonly asking: Asking,
  ) {}

  /** Looks again at once, after an event that may be a question. */
  look(): void {
    this.soon.abort();
  }

  /** Asks about each call that waits, until `signal` aborts: then open questions are dropped. */
  async until(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.soon = new AbortController();
      await this.compare();
      await sleep(LOOK_EVERY, undefined, { signal: AbortSignal.any([signal, this.soon.signal]) }).catch(() => undefined);
    }
    for (const moot of this.open.values()) moot.abort();
  }

  private async compare(): Promise<void> {
    const calls = await this.waiting();
    if (calls === null) return;
    const { questions, unread } = calls;
    const still = new Set([...questions, ...unread.map(({ call }) => call)].map(keyOf));
    for (const [key, moot] of this.open) if (!still.has(key)) moot.abort();
    for (const { call, why } of unread) if (!this.open.has(keyOf(call))) this.saySo(why);
    for (const question of questions.filter((each) => !this.open.has(keyOf(each)))) {
      const moot = new AbortController();
      this.open.set(keyOf(question), moot);
      void this.ask(question, moot.signal);
    }
  }

  /** Prints each reason once. Nobody is asked about a card that cannot be shown. */
  private saySo(why: string): void {
    if (this.reportedReasons.has(why)) return;
    this.reportedReasons.add(why);
    const { output, questions } = this.asking;
    const look = this.turn.uiUrl ? ` Read it in the Web UI: ${this.turn.uiUrl}` : ' Read it in the Web UI.';
    const print = () => output.note(`    ${visible(why)} This terminal asks once the card can be read.${look}`);
    if (questions) questions.above(print);
    else print();
  }

  /** Null: no worker answers now. That is printed once, until a worker answers again. */
  private async waiting(): Promise<WaitingNow | null> {
    try {
      const calls = await this.turn.waiting();
      this.isReachable = true;
      return calls;
    } catch (error) {
      if (this.isReachable && error instanceof Error && error.name === 'NoWorker')
        this.asking.output.note('No worker answers now (`holdfast worker` starts one); the turn goes on when one does.');
      this.isReachable = false;
      return null;
    }
  }

  /** Decides inline; an empty answer leaves the decision to others. */
  private async ask(call: Question, moot: AbortSignal): Promise<void> {
    const { output, questions, onEnd } = this.asking;
    const { kind } = call.card;
    const of = call.of ? ` of ${oneLine(call.of.agent, 60)}` : '';
    const elsewhere = `${kind === 'in_doubt' ? 'in doubt' : 'waits'}: holdfast ${commandFor(kind, this.turn.id, call.digest.slice(0, 12))}`;
    const head = `  ■ ${call.id} ${oneLine(call.tool, 60)}${of}:`;
    const boxLines = (lines: string[]) => [head, ...lines.map((line) => `    │ ${line}`)];
    if (!questions) return output.note([...boxLines(questionExcerpt(call)), elsewhere].join('\n'));
    const above = boxLines(questionLines(call));
    try {
      const answer = await questions.ask(promptFor(call.card), moot, above);
      if (answer === null || (await this.take(call, answer.trim()))) return;
      questions.above(() => output.say(`    ${elsewhere}   (Ctrl-C interrupts the turn)`));
    } catch (error) {
      if (error instanceof EndOfInput) return onEnd();
      const why = oneLine(errorMessage(error), 300); // decided meanwhile, or it must be signed
      questions.above(() => output.say(`    ${why}\n    ${elsewhere}`));
    }
  }

  /** False: the answer was no decision. @throws DecisionNotAccepted, NoWorker */
  private async take({ digest, card }: Question, answer: string): Promise<boolean> {
    const by = userName();
    if (card.kind === 'question') {
      const value = readAnswer(card, answer);
      if (value !== undefined) await this.turn.answer(digest, value, { by });
      return value !== undefined;
    }
    const no = /^no?\b[\s,.:;-]*/i.exec(answer);
    if (card.kind === 'in_doubt') {
      const outcome = /^a(pplied)?$/i.test(answer) ? 'applied' : /^n(ot([ _]applied)?)?$/i.test(answer) ? 'not_applied' : null;
      if (outcome !== null) await this.turn.settle(digest, outcome, { by });
      return outcome !== null;
    }
    if (/^y(es)?$/i.test(answer)) await this.turn.approve(digest, { by });
    else if (no) await this.turn.deny(digest, { by, note: answer.slice(no[0].length) });
    else return false;
    return true;
  }
}

function promptFor(card: Card): string {
  if (card.kind === 'question') return answerPrompt(card);
  return card.kind === 'in_doubt' ? SETTLE : APPROVE;
}

function keyOf({ digest, state }: { digest: string; state: string }): string {
  return `${digest} ${state}`;
}
