/**
 * The open questions of a turn that only people can answer: approvals, questions of the model, and settlements of calls in doubt. A
 * question is open from the moment that it is shown until it is answered. A decision that fits no open question changes nothing, and
 * the reason is returned.
 */
import { workflowInfo } from '@temporalio/workflow';
import { samePerson, type Edit, type Settlement } from '../../shared/approval/approval';
import { hashJson } from '../../shared/json/digests';
import type { Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { DecisionFields, DecisionKind } from '../../shared/approval/decision';
import type { CheckDecisionOutput } from '../../shared/io/people';
import {
  countReservedPlaces,
  countDecision,
  decisionOn,
  findQuestion,
  reasonAgainst,
  type IncomingDecision,
  type DecisionOrigin,
} from './decision-rules';
import { condition } from '../sandbox/condition';
import { now, resetSeed } from '../sandbox/time';
import {
  remark,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type DoubtQuestion,
  type Pending,
  type PersonQuestion,
  type Question,
  type ShownQuestion,
} from './question';
import { rolesAt } from '../../shared/approval/policy';
import { NO_ROOM, missingAnswers, type Statement } from './room-for-decisions';
import type { InFlight } from '../sandbox/signals';
import { MANY_EVENTS } from '../turn/state-limits';

/** Checks whether a signed decision is genuine, and returns who signed it. */
export type Check = (
  question: Question,
  claim: Pick<DecisionFields, 'outcome' | 'note'> & {
    decision: DecisionKind | 'edit';
    attestation: string;
    inputHash: string | null;
    /** The roles that this question takes now; absent: those of the tool. */
    roles?: string[];
  },
) => Promise<CheckDecisionOutput>;

/** Checks whether an answer fits its question, and is by somebody who may answer it; returns who that is. */
export type CheckAnswer = (
  question: Question,
  answer: { value: Json; by: string; note: string | null; attestation: string | null },
) => ReturnType<Check>;

/** Why people are notified: the question is new, it expires soon, or further people may decide from now on. */
export type Occasion = 'asked' | 'reminder' | 'escalated';

export interface QuestionDependencies {
  inFlight: InFlight;
  requester: string;
  /** Runs whenever a question opens or changes. */
  onChange(): void;
  check: Check;
  checkAnswer: CheckAnswer;
  /** Whether the turn's state has room for all words (`hasRoom`). @param answers how many reserved places they use */
  fits(words: Statement[], answers: number): boolean;
  /** Notifies people of a question; never throws, never waits. */
  tell(question: Question, occasion: Occasion): void;
}

/**
 * Most decisions that activities check at the same time. Temporal allows 2,000 pending activities, and then fails the workflow
 * task.
 */
const MOST_CHECKS = 50;

export class ApprovalQuestions {
  /** In the order of asking. Answered ones are kept, so that a late decision gets the reason that it is late. */
  private readonly pendings: Pending[] = [];
  private checking = 0;
  /** Tools in the search attribute as last written. */
  shownTools: string[] = [];

  constructor(private readonly around: QuestionDependencies) {}

  /** A call in doubt is shown with the card that was approved, if this run has it. */
  open(): ShownQuestion[] {
    return this.pendings.filter((pending) => pending.answer === null).map(({ question }) => this.withApprovedCard(question));
  }

  private withApprovedCard(question: Question): ShownQuestion {
    if (question.kind === 'approval') return question;
    const approved = this.pendings.find(({ question: one }) => one.kind === 'approval' && one.digest === question.digest);
    return approved === undefined ? question : { ...question, approved: approved.question.card };
  }

  /** True if no decision is being checked, and every answer has reached its caller. */
  get still(): boolean {
    return this.checking === 0 && this.pendings.every(({ answer, taken }) => answer === null || taken);
  }

  /**
   * Asks for approval and waits for the answer, at most until the question expires.
   * @param seed `resetSeed()` when the card was made. After a reset this card asks nobody: the answer is `reset`. Null: a reset
   * changes nothing
   */
  askApproval(question: ApprovalQuestion, edit: NonNullable<Pending['edit']>, seed: string | null): Promise<ApprovalAnswer> {
    return this.askInTime({ question, answer: null, seed, taken: false, edit });
  }

  /** Puts a question of the model to people and waits for the answer, likewise. */
  askQuestion(question: PersonQuestion, seed: string | null): Promise<ApprovalAnswer> {
    return this.askInTime({ question, answer: null, seed, taken: false });
  }

  private async askInTime(pending: Pending<ApprovalQuestion | PersonQuestion>): Promise<ApprovalAnswer> {
    const { question } = pending;
    if (isStale(pending)) return { how: 'reset' };
    const isAnswered = () => pending.answer !== null || isStale(pending);
    await this.waitForAnswer(pending, async () => {
      const expires = Date.parse(question.expires_at);
      for (const { at, occasion } of noticesOf(question, expires).filter((notice) => notice.at > Date.now())) {
        if (await condition(isAnswered, Math.max(1, at - Date.now()))) return;
        this.around.tell(question, occasion);
      }
      if (await condition(isAnswered, Math.max(1, expires - Date.now()))) return;
      const nobody = { by: '', note: null, channel: 'timer' as const, identity: '' };
      pending.answer = { how: 'expired', decision: decisionOn(question, 'expired', nobody, now()) };
      this.around.onChange();
    });
    pending.answer ??= { how: 'reset' };
    return pending.answer;
  }

  /** Asks how a dispatched call in doubt ended, and waits without a time limit. */
  async askSettlement(question: DoubtQuestion): Promise<Settlement> {
    const pending: Pending<DoubtQuestion> = { question, answer: null, seed: null, taken: false };
    await this.waitForAnswer(pending, () => condition(() => pending.answer !== null));
    return pending.answer!;
  }

  /** Takes a decision. Returns the reason if it is ignored, or null if it is accepted. */
  decide(kind: DecisionKind, fields: DecisionFields, from: DecisionOrigin): string | null | Promise<string | null> {
    const decisions: IncomingDecision[] = [];
    for (const [index, call] of fields.calls.entries()) {
      const match = findQuestion(this.pendings, kind, call, isStale);
      if (typeof match === 'string') return match;
      if (decisions.some(({ pending }) => pending === match)) return `"calls" names call ${call} twice`;
      const { by, on_behalf_of } = fields;
      const attestation = fields.attestations[index] ?? null;
      decisions.push({ pending: match, kind, fields, from, by, ...optional({ on_behalf_of }), attestation });
    }
    const needsCheck = fields.attestations.length > 0 || fields.input !== null || kind === 'answer';
    if (needsCheck) return this.overloadReason() ?? this.later(decisions);
    return this.take(decisions);
  }

  /** Closes every open question but those of calls in doubt: nobody can decide on these calls, or answer them, any more. */
  withdraw(how: 'steered' | 'stopped'): void {
    for (const pending of this.pendings)
      if (pending.question.kind !== 'doubt' && pending.answer === null && !isStale(pending)) pending.answer = { how } as never;
    this.around.onChange();
  }

  private async waitForAnswer<Q extends Question>(pending: Pending<Q>, wait: () => Promise<unknown>): Promise<void> {
    const { question } = pending;
    this.pendings.push(pending as unknown as Pending);
    this.around.onChange();
    if (!question.told) this.around.tell(question, 'asked');
    question.told = true;
    try {
      await this.around.inFlight.apart(wait);
      pending.taken = true;
    } catch (error) {
      this.pendings.splice(this.pendings.indexOf(pending as unknown as Pending), 1);
      throw error;
    }
  }

  /**
   * Why no further decision is checked now, or null. Junk signatures must neither fill a run nor block the continue-as-new of a
   * full one.
   */
  private overloadReason(): string | null {
    const { continueAsNewSuggested: full, historyLength } = workflowInfo();
    if (this.checking < (full ? 1 : MOST_CHECKS) && historyLength < MANY_EVENTS) return null;
    return 'too many decisions wait to be checked; send it again in a moment';
  }

  /** Takes decisions that an activity has to check first: signed ones, edits and answers. Takes all of them, or none. */
  private async later(decisions: IncomingDecision[]): Promise<string | null> {
    this.checking += 1;
    try {
      for (const one of decisions) {
        const reason = await this.reasonAfterCheck(one);
        if (reason !== null) return this.ignore([one], reason);
      }
      return decisions[0]!.fields.input === null
        ? this.take(decisions)
        : await this.edit(decisions[0]!, decisions[0]!.fields.input);
    } finally {
      this.checking -= 1;
    }
  }

  private reasonAfterCheck(one: IncomingDecision): string | null | Promise<string | null> {
    if (one.kind === 'answer') return this.fault(one) ?? this.verifyAnswer(one);
    return one.attestation === null ? this.fault(one) : this.verify(one, one.attestation);
  }

  private async verifyAnswer(answer: IncomingDecision): Promise<string | null> {
    const { by, fields, pending, attestation } = answer;
    const { value, note } = fields;
    return nameSigner(answer, await this.around.checkAnswer(pending.question, { value: value!, by, note, attestation }));
  }

  private async verify(decision: IncomingDecision, attestation: string): Promise<string | null> {
    const { kind, fields, pending, from } = decision;
    const result = await this.around.check(pending.question, {
      decision: fields.input === null ? kind : 'edit',
      outcome: fields.outcome,
      attestation,
      inputHash: fields.input === null ? null : hashJson(fields.input),
      note: fields.note,
      ...optional({ roles: rolesOf(pending.question, from.at ?? now()) }),
    });
    return nameSigner(decision, result);
  }

  private async edit({ pending, by, from, fields, attestation }: IncomingDecision, input: Edit['input']): Promise<string | null> {
    const signature = attestation === null ? {} : { attestation };
    const words = { by, note: fields.note, identity: from.identity, attestation };
    // The superseding call needs places for its whole quorum, and counts the editor as one more maker.
    const answers = pending.question.policy.quorum - missingAnswers(pending.question);
    if (!this.around.fits([words, { ...words, note: null, attestation: null }], -answers))
      return `${NO_ROOM}; send it with a shorter note, or deny the call`;
    const supersede = await pending.edit!({ input, by, note: fields.note, identity: from.identity, ...signature });
    if (typeof supersede === 'string') return supersede;
    if (pending.answer !== null || isStale(pending)) return `call ${pending.question.digest} was decided meanwhile`;
    supersede();
    pending.answer = { how: 'superseded' } as never;
    this.around.onChange();
    return null;
  }

  private take(decisions: IncomingDecision[]): string | null {
    for (const one of decisions) {
      const reason = this.fault(one);
      if (reason !== null) return this.ignore([one], reason);
    }
    if (!this.fits(decisions))
      return this.ignore(decisions, `${NO_ROOM}; send it with a shorter note, or decide on what waits first`);
    for (const one of decisions) countDecision(one, now());
    this.around.onChange();
    return null;
  }

  private fault(decision: IncomingDecision): string | null {
    return reasonAgainst(decision, this.around.requester, isStale(decision.pending), Date.now());
  }

  private fits(decisions: IncomingDecision[]): boolean {
    const words = decisions.map(({ by, on_behalf_of, fields: { note, value }, from: { identity }, attestation }) => ({
      by,
      ...optional({ on_behalf_of }),
      note,
      identity,
      attestation,
      ...optional({ value }),
    }));
    return this.around.fits(
      words,
      decisions.reduce((sum, one) => sum + countReservedPlaces(one), 0),
    );
  }

  private ignore(decisions: IncomingDecision[], reason: string): string {
    for (const { pending, by, kind } of decisions)
      remark(pending.question, `${kind} by ${by === '' ? 'somebody' : by}: ${reason}`);
    this.around.onChange();
    return reason;
  }
}

/** The roles that count for a decision that came at this time, where that depends on the call or on the time. */
function rolesOf(question: Question, at: string): string[] | undefined {
  const { roles, entry } = question.policy;
  const escalations = question.kind === 'approval' ? question.escalations : undefined;
  if (entry === undefined && escalations === undefined) return undefined;
  return rolesAt(roles, escalations ?? [], Date.parse(at));
}

/** When people are notified again while a question is open, the first first. */
function noticesOf(question: ApprovalQuestion | PersonQuestion, expires: number): { at: number; occasion: Occasion }[] {
  const { policy } = question;
  const { escalations = [] } = question.kind === 'approval' ? question : {};
  const reminders = policy.remind_ms.map((before) => ({ at: expires - before, occasion: 'reminder' as const }));
  const further = escalations.map(({ at }) => ({ at: Date.parse(at), occasion: 'escalated' as const }));
  return [...reminders, ...further.filter(({ at }) => at < expires)].sort((a, b) => a.at - b.at);
}

/** The decision is that of the person whom the check has found. Returns why it is not, or null. */
function nameSigner(decision: IncomingDecision, result: Awaited<ReturnType<Check>>): string | null {
  if (!result.ok) return result.reason;
  if (decision.by !== '' && !samePerson(decision.by, result.principal))
    return `it is signed for ${result.principal}, and says ${decision.by}`;
  const { on_behalf_of } = result;
  if (decision.on_behalf_of !== undefined && !samePerson(decision.on_behalf_of, on_behalf_of ?? ''))
    return `it is signed ${on_behalf_of === undefined ? 'for nobody else' : `on behalf of ${on_behalf_of}`}, and says ${decision.on_behalf_of}`;
  decision.by = result.principal;
  if (on_behalf_of !== undefined) decision.on_behalf_of = on_behalf_of;
  return null;
}

function isStale({ seed }: Pending): boolean {
  return seed !== null && seed !== resetSeed();
}
