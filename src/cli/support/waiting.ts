/**
 * What waits for a person in one turn, asked about in the terminal as it comes: approvals and calls in doubt, of the turn
 * and of its sub-agents. It is looked up, not read from events: what a sub-agent asks is no event of the turn that asked it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardLines } from '../../client/card-lines';
import type { TurnHandle, WaitingCall } from '../../client/turn-handle';
import { InputEnded, type Questions } from './ask';
import { userName } from './decide-options';
import { oneLine } from './describe';
import type { Output } from './output';

const LOOK_EVERY = 1500;
const APPROVE = '    approve? [y]es / [n]o, with a reason / enter: decide elsewhere  ';
const SETTLE = '    did it take effect? [a]pplied / [n]ot applied / enter: settle elsewhere  ';

interface Asking {
  output: Output;
  /** Null: nobody can be asked here; then it is only said what waits. */
  questions: Questions | null;
  /** Ctrl-D at a question. */
  ended: () => void;
}

export class Waiting {
  private readonly open = new Map<string, AbortController>();
  private soon = new AbortController();
  private answered = true;

  constructor(
    private readonly turn: TurnHandle,
    private readonly asking: Asking,
  ) {}

  /** Something has happened that may be a question: the next look is now. */
  look(): void {
    this.soon.abort();
  }

  /** Asks about whatever comes to wait, until `signal` aborts: then the questions that are open are moot. */
  async until(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.soon = new AbortController();
      await this.compare();
      await sleep(LOOK_EVERY, undefined, { signal: AbortSignal.any([signal, this.soon.signal]) }).catch(() => undefined);
    }
    for (const moot of this.open.values()) moot.abort();
  }

  private async compare(): Promise<void> {
    const calls = await this.pending();
    if (calls === null) return;
    const now = new Map(calls.map((call) => [`${call.digest} ${call.state}`, call]));
    for (const [key, moot] of this.open) if (!now.has(key)) moot.abort();
    const fresh = [...now].filter(([key]) => !this.open.has(key));
    const cards = fresh.length > 0 ? await this.turn.cards().catch(() => new Map<string, string>()) : new Map<string, string>();
    for (const [key, call] of fresh) {
      const moot = new AbortController();
      this.open.set(key, moot);
      void this.ask(call, cards.get(call.digest) ?? '', moot.signal);
    }
  }

  /** Null: nobody answers now. That is said once, until somebody does again. */
  private async pending(): Promise<WaitingCall[] | null> {
    try {
      const calls = await this.turn.pending();
      this.answered = true;
      return calls;
    } catch (error) {
      if (this.answered && error instanceof Error && error.name === 'NoWorker')
        this.asking.output.note('No worker answers now (`holdfast worker` starts one); the turn goes on when one does.');
      this.answered = false;
      return null;
    }
  }

  /** Decides inline; a bare enter leaves it to others. */
  private async ask(call: WaitingCall, card: string, moot: AbortSignal): Promise<void> {
    const { output, questions, ended } = this.asking;
    const doubt = call.state === 'in_doubt';
    const of = call.of ? ` of ${oneLine(call.of.agent, 60)}` : '';
    const decide = `${doubt ? 'settle' : 'approve'} ${this.turn.id}${doubt ? ' applied|not_applied' : ''} --call ${call.digest.slice(0, 12)}`;
    const elsewhere = `${doubt ? 'in doubt' : 'waits'}: holdfast ${decide}`;
    if (!questions) return output.note(elsewhere);
    const above = [`  ■ ${call.id} ${oneLine(call.tool, 60)}${of}:`, ...cardLines(card).map((line) => `    │ ${line}`)];
    try {
      const answer = await questions.ask(doubt ? SETTLE : APPROVE, moot, above);
      if (answer === null || (await this.take(call.digest, doubt, answer.trim()))) return;
      questions.above(() => output.say(`    ${elsewhere}   (Ctrl-C interrupts the turn)`));
    } catch (error) {
      if (error instanceof InputEnded) return ended();
      const why = oneLine(error instanceof Error ? error.message : String(error), 300); // decided meanwhile, or only signed ones count
      questions.above(() => output.say(`    ${why}\n    ${elsewhere}`));
    }
  }

  /** False: that was no decision. @throws DecisionNotAccepted, NoWorker */
  private async take(digest: string, doubt: boolean, answer: string): Promise<boolean> {
    const by = userName();
    const no = /^no?\b[\s,.:;-]*/i.exec(answer);
    if (doubt) {
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
