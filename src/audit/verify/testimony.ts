/** What the sources of one turn have said so far, and the rules that are broken where one says otherwise (D1 to D6). */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json';
import { isCut, isShortOf } from '../../shared/short-view';
import { object } from '../case-file/loose';
import type { Subject } from './doubled';
import { Facts, type Disagreement } from './facts';
import type { History, Report } from './history';
import { hashOf } from './values';

/** The rule that is broken where two sources disagree about it. */
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
};

export const HISTORY = 'the history';
export const TRANSCRIPT = 'the transcript';
export const RECORD = 'the effect record';
export const RESULT = "the turn's result";

export class Testimony {
  readonly facts = new Facts();
  /** Heads that activities and records have named; cards and results that activities have. */
  readonly heads = new Set<string>();
  readonly shown = new Set<string>();
  /** An argument or a result of an activity was left out: it may have said anything. */
  unknown = false;
  report: Report = () => undefined;
  private readonly decisions = new Set<string | null>();
  /** Texts of decisions, by what is not shortened of them; of results, by their refs. */
  private readonly said = new Map<string | null, JsonObject[]>();
  private readonly results = new Map<string, JsonObject>();

  constructor(private readonly history: History) {}

  /** What is not known was not there. */
  get whole(): boolean {
    return this.history.whole && !this.unknown;
  }

  tell(...[subject, name, facts, source]: Parameters<Facts['tell']>): void {
    this.found(this.facts.tell(subject, name, facts, source));
  }

  tellAll(...said: Parameters<Facts['tellAll']>): void {
    this.found(this.facts.tellAll(...said));
  }

  names(head: Json | undefined): void {
    if (typeof head === 'string') this.heads.add(head);
  }

  /** Decisions that activities were given. */
  hear(...said: (Json | undefined)[][]): void {
    for (const decision of said.flat()) {
      if (!isJsonObject(decision)) continue;
      const { revision: _, ...rest } = decision;
      this.decisions.add(hashOf(rest));
      const shown = { ...rest, attested: rest.attestation !== undefined };
      this.decisions.add(shownAs(shown, rest.digest));
      const { note = null, identity = null } = rest;
      const key = shortAs(shown, rest.digest);
      this.said.set(key, [...(this.said.get(key) ?? []), { note, identity }]);
    }
  }

  /** The texts of a result, as the activity has told them that gave it. */
  wholeTexts(ref: string, { summary = null, error = null }: JsonObject): void {
    if (!this.results.has(ref)) this.results.set(ref, { summary, message: object(error).message ?? null });
  }

  /** D6: what was shortened is the beginning of what it stands for. */
  shortened(ref: Json | undefined, summary: Json | undefined, error: Json | undefined): boolean {
    const told = typeof ref === 'string' ? this.results.get(ref) : undefined;
    const { message } = object(error);
    const others =
      told && ((isCut(summary) && !isShortOf(summary, told.summary)) || (isCut(message) && !isShortOf(message, told.message)));
    return !others;
  }

  heard(decision: JsonObject): boolean {
    return this.decisions.has(hashOf(decision));
  }

  /** As the turn's result shows it, its texts shortened maybe. */
  heardAs(decision: JsonObject, digest: Json | undefined): boolean {
    const { note, identity } = decision;
    if (!isCut(note) && !isCut(identity)) return this.decisions.has(shownAs(decision, digest));
    const said = this.said.get(shortAs(decision, digest)) ?? [];
    return said.some((one) => isShortOf(note, one.note) && isShortOf(identity, one.identity));
  }

  private found(disagreement: Disagreement | null): void {
    if (disagreement !== null) this.report(RULES[disagreement.subject], disagreement.reason);
  }
}

/** Without the texts that are shortened. */
function shortAs({ decision, by, at, channel, attested }: JsonObject, digest: Json | undefined): string | null {
  return hashOf({ digest, decision, by, at, channel, attested, short: true } as Json);
}

/** A decision as the turn's result shows it. */
function shownAs({ decision, by, at, note, channel, identity, attested }: JsonObject, digest: Json | undefined): string | null {
  return hashOf({ digest, decision, by, at, note, channel, identity, attested } as Json);
}
