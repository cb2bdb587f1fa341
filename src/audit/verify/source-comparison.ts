/** Collects what the sources of one turn state, and reports the rule that is broken if two of them disagree (D1 to D6). */
import { optional } from '../../shared/json/optional';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { isCut, isShortOf } from '../../shared/turn/turn-view';
import { object, text } from '../../record/fields';
import type { Subject } from './fact-tables';
import { Facts, type Disagreement } from './facts';
import type { History, Report } from './history';
import { ToolResultChecks } from './tool-result-checks';
import { hashOf } from './values';

/** By subject: the rule that two sources break if they disagree. */
const RULES: Record<Subject, string> = {
  turn: 'D1',
  run: 'D1',
  asked: 'D2',
  use: 'D2',
  step: 'D2',
  card: 'D3',
  call: 'D4',
  dispatch: 'D4',
  result: 'D6',
  block: 'D6',
  effect: 'D6',
  said: 'D5',
};

export const HISTORY = 'the history';
export const TRANSCRIPT = 'the transcript';
export const RECORD = 'the effect record';
export const RESULT = "the turn's result";
export const SESSION = 'the session';

export class SourceComparison {
  readonly facts = new Facts();
  readonly toolResults = new ToolResultChecks();
  /** Heads that activities and records named; and the refs of cards, previews and results that activities named. */
  readonly heads = new Set<string>();
  readonly namedRefs = new Set<string>();
  /** Hashes of decisions, messages and answers: those that activities wrote, and those in the transcript. */
  readonly hashesInHistory = new Set<string | null>();
  readonly hashesInTranscript = new Set<string | null>();
  /** An argument or a result of an activity was left out: its content is unknown. */
  unknown = false;
  /** Blocks that the turn may begin after; empty: they are unknown. */
  readonly beginnings = new Set<Json>();
  report: Report = () => undefined;
  private readonly decisions = new Set<string | null>();
  /** By digest: the decisions on a call, each once, in the order in which activities were first given them. */
  private decisionsByCall = new Map<string, Map<string | null, JsonObject>>();
  /** By run: the same at its end, for the run that continues it. */
  private readonly decisionsByRun = new Map<string, Map<string, Map<string | null, JsonObject>>>();
  /** Texts of results, by their refs. */
  private readonly results = new Map<string, JsonObject>();

  constructor(private readonly history: History) {}

  /** The turn's history is known in full. */
  get whole(): boolean {
    return this.history.whole && !this.unknown;
  }

  addFacts(...[subject, name, facts, source]: Parameters<Facts['addFacts']>): void {
    this.reportDisagreement(this.facts.addFacts(subject, name, facts, source));
  }

  addRecord(...args: Parameters<Facts['addRecord']>): void {
    this.reportDisagreement(this.facts.addRecord(...args));
  }

  names(head: Json | undefined): void {
    if (typeof head === 'string') this.heads.add(head);
  }

  /** Notes decisions that activities were given. */
  noteDecisions(...lists: (Json | undefined)[][]): void {
    for (const decision of lists.flat()) {
      if (!isJsonObject(decision)) continue;
      const { revision: _, ...rest } = decision;
      this.decisions.add(hashOf(rest));
      // The `approval` of an older `runCall` is a decision; that of an `admitCall` is a policy without a digest.
      if (rest.decision === 'edit' || typeof rest.digest !== 'string') continue;
      const {
        digest,
        decision: what,
        by,
        on_behalf_of,
        at,
        note = null,
        channel,
        identity = null,
      } = rest as Record<string, Json>;
      const attested = rest.attestation !== undefined;
      const entry = { decision: what, by, ...optional({ on_behalf_of }), at, note, channel, identity, attested } as JsonObject;
      const about = this.decisionsByCall.get(text(digest)) ?? new Map<string | null, JsonObject>();
      if (!about.has(hashOf(entry))) this.decisionsByCall.set(text(digest), about.set(hashOf(entry), entry));
    }
  }

  /** The decisions on a call that activities were given, as the turn's result shows them. */
  decisionsOn(digest: Json | undefined): JsonObject[] {
    return [...(this.decisionsByCall.get(text(digest))?.values() ?? [])];
  }

  /** A run begins with the decisions of the run that it continues. @param before null: it is the first run */
  goOn(run_id: string, before: string | null): void {
    this.decisionsByCall = new Map(
      [...((before !== null && this.decisionsByRun.get(before)) || [])].map(([digest, decisions]) => [
        digest,
        new Map(decisions),
      ]),
    );
    this.decisionsByRun.set(run_id, this.decisionsByCall);
  }

  /** Notes the texts of a result, from the activity that gave it. */
  wholeTexts(ref: string, { summary = null, error = null }: JsonObject): void {
    if (!this.results.has(ref)) this.results.set(ref, { summary, message: object(error).message ?? null });
  }

  /** D6: a shortened text is the beginning of the whole text. */
  isShortForm(ref: Json | undefined, summary: Json | undefined, error: Json | undefined): boolean {
    const result = typeof ref === 'string' ? this.results.get(ref) : undefined;
    const { message } = object(error);
    const others =
      result &&
      ((isCut(summary) && !isShortOf(summary, result.summary)) || (isCut(message) && !isShortOf(message, result.message)));
    return !others;
  }

  hasDecision(decision: JsonObject): boolean {
    return this.decisions.has(hashOf(decision));
  }

  private reportDisagreement(disagreement: Disagreement | null): void {
    if (disagreement !== null) this.report(RULES[disagreement.subject], disagreement.reason);
  }
}
