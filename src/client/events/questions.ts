/**
 * Reads a turn's questions to people, and their decisions, from its history as it grows. (An answer to a question of the model is
 * reported when it becomes the call's result.) The workflow records nothing for
 * watchers. An update's answer says whether the decision counts. A bare signal is judged here, by the workflow's own rule, at the
 * workflow task that processed it. A decision that is still uncertain is reported with the dispatch that it led to.
 */
import type { CheckDecisionInput, CheckDecisionOutput } from '../../shared/io/activities';
import { decisionFault, plainName, type OpenQuestion, type Vote } from '../../shared/approval/approval';
import { readDecision, type DecisionFields, type DecisionKind } from '../../shared/approval/decision';
import { isJsonObject, type Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { TurnEvent } from '../../shapes/turn-event';

export type DecisionEvent = Extract<TurnEvent, { type: 'approval_decided' }>;

interface Open extends OpenQuestion {
  /** `question`: the model asks; no decision on a call is about it. */
  kind: 'approval' | 'question';
  call: string;
  tool: string;
  said: Vote[];
}

interface SentDecision {
  kind: DecisionKind;
  fields: DecisionFields;
}

/** Limit against a flood of invalid signals. Decisions beyond it are reported with their dispatch. */
const MAX_SIGNALS = 1000;

export class Questions {
  private readonly open = new Map<string, Open>();
  /** Signals that no workflow task has processed yet. */
  private pendingSignals: SentDecision[] = [];
  /** Updates in progress, by the event that accepted them. */
  private readonly acceptedUpdates = new Map<string, SentDecision>();
  /** Whose each signed decision is, once an activity has checked its signature. */
  private readonly votes = new Map<string, Vote>();
  private readonly reportedKeys = new Set<string>();
  private isExpiryDue = false;

  ask(question: Omit<Open, 'said'>): void {
    for (const [digest, { call }] of this.open) if (call === question.call) this.open.delete(digest);
    this.open.set(question.digest, { ...question, said: [] });
  }

  /** The open question about this call. */
  openOf(call: string): Omit<Open, 'said'> | undefined {
    return [...this.open.values()].find((question) => question.call === call);
  }

  /** An approver changed the input: nothing is decided, and the call with the new input is asked about instead. */
  onEdit(
    at: string,
    { digest, call, tool }: Omit<Open, 'said'>,
    { by, note }: { by: string; note: string | null },
  ): DecisionEvent[] {
    return this.tell({ at, type: 'approval_decided', call, tool, digest, decision: 'edit', by, note });
  }

  onSignal(name: string, value: Json): void {
    if (name !== 'approve' && name !== 'deny') return;
    const read = readDecision(name, value);
    if (read.ok && read.fields.input === null && this.pendingSignals.length < MAX_SIGNALS)
      this.pendingSignals.push({ kind: name, fields: read.fields });
  }

  onUpdateAcceptance(eventId: string, body: Json | undefined): void {
    if (body === undefined || !isJsonObject(body)) return;
    const { decision, ...rest } = body;
    if (decision !== 'approve' && decision !== 'deny') return;
    const read = readDecision(decision, rest);
    if (read.ok && read.fields.input === null) this.acceptedUpdates.set(eventId, { kind: decision, fields: read.fields });
  }

  onUpdateAnswer(at: string, acceptedEventId: string, answer: unknown): DecisionEvent[] {
    const decision = this.acceptedUpdates.get(acceptedEventId);
    this.acceptedUpdates.delete(acceptedEventId);
    return decision && (answer as { accepted?: unknown } | null)?.accepted === true ? this.count(at, decision) : [];
  }

  onSignatureCheck({ attestation }: CheckDecisionInput, output: CheckDecisionOutput): void {
    if (!output.ok) return;
    const { principal, on_behalf_of } = output;
    this.votes.set(attestation, { by: principal, ...optional({ on_behalf_of }) });
  }

  /** Drops open questions: after a reset the workflow asks again. */
  reset(): void {
    this.open.clear();
    this.pendingSignals = [];
  }

  /** A timer has fired: a question may have expired. */
  timer(): void {
    this.isExpiryDue = true;
  }

  /** A workflow task has completed: it has processed every event from before it began. */
  onTaskCompletion(startedAt: string): DecisionEvent[] {
    const nowMs = Date.parse(startedAt);
    const events: DecisionEvent[] = [];
    const waiting: SentDecision[] = [];
    for (const decision of this.pendingSignals) {
      if (decision.fields.attestations.some((text) => !this.votes.has(text))) waiting.push(decision);
      else if (this.counts(decision, nowMs)) events.push(...this.count(startedAt, decision));
    }
    this.pendingSignals = waiting;
    if (this.isExpiryDue) events.push(...this.expire(startedAt, nowMs));
    this.isExpiryDue = false;
    return events;
  }

  /** A decision that a dispatch or the next step makes certain; empty if it was reported before. */
  certain(event: DecisionEvent): DecisionEvent[] {
    return this.tell(event);
  }

  private tell(event: DecisionEvent): DecisionEvent[] {
    const { digest, decision, by } = event;
    if (decision !== 'approve') this.open.delete(digest);
    const key = `${digest} ${decision} ${plainName(by)}`;
    if (this.reportedKeys.has(key)) return [];
    this.reportedKeys.add(key);
    return [event];
  }

  private expire(at: string, nowMs: number): DecisionEvent[] {
    const over = [...this.open.values()].filter(({ expires_at }) => expires_at !== null && Date.parse(expires_at) <= nowMs);
    return over.flatMap(({ digest, call, tool }) =>
      this.tell({ at, type: 'approval_decided', call, tool, digest, decision: 'expired', by: '', note: null }),
    );
  }

  /** A decision on several calls counts for all of them or for none, as in the workflow. */
  private counts({ kind, fields }: SentDecision, nowMs: number): boolean {
    const questions = fields.calls.map((call) => this.find(call));
    if (new Set(questions).size !== questions.length) return false;
    return questions.every((question, index) => {
      const isAttested = fields.attestations.length > 0;
      const vote = this.voteOf(fields, index);
      if (!question || (fields.by !== '' && plainName(fields.by) !== plainName(vote.by))) return false;
      return decisionFault(question, { kind, ...vote, attested: isAttested }, nowMs) === null;
    });
  }

  private count(at: string, { kind, fields }: SentDecision): DecisionEvent[] {
    return fields.calls.flatMap((name, index) => {
      const question = this.find(name);
      const vote = this.voteOf(fields, index);
      if (!question || vote.by === '') return [];
      const { digest, call, tool, policy, said } = question;
      said.push(vote);
      if (kind === 'deny' || said.length >= policy.quorum) this.open.delete(digest);
      return this.tell({ at, type: 'approval_decided', call, tool, digest, decision: kind, ...vote, note: fields.note });
    });
  }

  private voteOf({ by, on_behalf_of, attestations }: DecisionFields, index: number): Vote {
    const attestation = attestations[index];
    const signed = attestation === undefined ? undefined : this.votes.get(attestation);
    return signed ?? { by, ...optional({ on_behalf_of }) };
  }

  private find(name: string): Open | undefined {
    const fit = [...this.open.values()].filter(({ kind, digest }) => kind === 'approval' && digest.startsWith(name));
    return fit.length === 1 ? fit[0] : undefined;
  }
}
