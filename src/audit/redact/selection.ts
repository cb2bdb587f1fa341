/** Selects the parts of a bundle that a redaction removes. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { filesInContent, readFileBody } from '../../record/stored-file';
import type { Block } from '../../shared/turn/transcript';
import { VENDOR_ANSWER } from '../../record/blocks';
import type { BlockBody, BundleLine, PartBody, TurnBody } from '../format/lines';

/** What a redaction has to remove. */
export interface RedactionScope {
  /** Messages of the user and of the model, and their summaries. */
  messages: boolean;
  /** Call ids: `2.1`, in every turn; or `TURN:2.1`. */
  calls: readonly string[];
  /** Hashes of parts. */
  parts: readonly string[];
}

/** The request does not fit the bundle, selects nothing, or has no valid reason. */
export class NothingToRedact extends Error {
  override readonly name = 'NothingToRedact';
}

/** Kinds of blocks that stay when a call is removed: they prove who decided and what was done, without content of the call. */
const EVIDENCE: readonly Block['kind'][] = ['decision', 'dispatch', 'effect', 'settlement'];

/** The facts of a part that tell which call it belongs to. */
interface Facts {
  callId: string | null;
  /** The model's own id, of a call or of a result's call. */
  use: string | null;
  type: string | null;
}

/** Reads a bundle's lines once, from the first to the last. */
export class Selection {
  private readonly refs = new Set<string>();
  private readonly matchedNames = new Set<string>();
  /** Turns of sub-agents that answer a removed call: their messages and calls are removed with it. */
  private readonly whole = new Set<string>();
  /** Of all turns: the files that a part names, and the bytes of a file. They are removed with it. */
  private readonly beneath = new Map<string, readonly string[]>();
  private facts = new Map<string, Facts>();
  private turn = '';
  /** Parts of the last message, and the model's ids of removed calls whose results come with the next message. */
  private lastParts: readonly string[] = [];
  private awaitedIds = new Set<string>();

  constructor(private readonly scope: RedactionScope) {}

  take(line: BundleLine): void {
    if (line.kind === 'turn') this.begin(line.body);
    else if (line.kind === 'part') this.part(line.body);
    else if (line.kind === 'block') this.block(line.body);
  }

  /** @throws NothingToRedact */
  finish(): ReadonlySet<string> {
    const missing = [...this.scope.calls, ...this.scope.parts].find((name) => !this.matchedNames.has(name));
    if (missing !== undefined)
      throw new NothingToRedact(
        `The bundle has no call or part ${JSON.stringify(missing.slice(0, 80))}; \`holdfast audit report\` shows them.`,
      );
    for (const ref of this.refs) for (const inner of this.beneath.get(ref) ?? []) this.refs.add(inner);
    if (this.refs.size === 0) throw new NothingToRedact('Nothing would be left out: say --messages, --call or --part.');
    return this.refs;
  }

  private begin({ turn_id, parent }: TurnBody): void {
    if (parent && (this.whole.has(parent.turn_id) || this.wants(parent.call_id, parent.turn_id))) this.whole.add(turn_id);
    this.turn = turn_id;
    this.facts = new Map();
    this.lastParts = [];
    this.awaitedIds = new Set();
  }

  private part({ ref, part }: PartBody): void {
    if (this.scope.parts.includes(ref)) this.leaveOut(ref, ref);
    if (part === null) return;
    const inner = refsBeneath(part.body);
    if (inner.length > 0) this.beneath.set(ref, inner);
    const facts = factsOf(part.body);
    this.facts.set(ref, facts);
    if (facts.callId !== null && this.wants(facts.callId)) this.refs.add(ref);
  }

  private block({ block: { kind, parts } }: BlockBody): void {
    if (EVIDENCE.includes(kind)) for (const ref of parts) this.keep(ref);
    if (kind === 'summary' && this.includesMessages()) for (const ref of parts) this.refs.add(ref);
    if (kind === 'message') this.message(parts);
    if (kind === 'admission') this.admission(parts);
  }

  private message([, ...content]: readonly string[]): void {
    for (const ref of content) {
      const { use, type } = this.factsOf(ref);
      if (this.includesMessages() || (type === 'tool_result' && use !== null && this.awaitedIds.has(use))) this.refs.add(ref);
    }
    this.lastParts = content;
    this.awaitedIds = new Set();
  }

  /** The model's ids may repeat in a turn: they are searched only in the admitted answer and in the message after it. */
  private admission(parts: readonly string[]): void {
    for (const ref of parts) {
      const { callId, use } = this.factsOf(ref);
      if (callId === null || use === null || !this.refs.has(ref)) continue;
      this.awaitedIds.add(use);
      const toolUses = this.lastParts.filter((one) => this.factsOf(one).type === 'tool_use' && this.factsOf(one).use === use);
      // The answer in the vendor's own form repeats the call.
      const own = this.lastParts.filter((one) => this.factsOf(one).type === VENDOR_ANSWER);
      for (const one of [...toolUses, ...own]) this.refs.add(one);
    }
  }

  private wants(callId: string, turn = this.turn): boolean {
    const names = [callId, `${turn}:${callId}`].filter((name) => this.scope.calls.includes(name));
    for (const name of names) this.matchedNames.add(name);
    return names.length > 0 || this.whole.has(turn);
  }

  private includesMessages(): boolean {
    return this.scope.messages || this.whole.has(this.turn);
  }

  private leaveOut(ref: string, name: string): void {
    this.refs.add(ref);
    this.matchedNames.add(name);
  }

  /** Unless the request names this very part. */
  private keep(ref: string): void {
    if (!this.scope.parts.includes(ref)) this.refs.delete(ref);
  }

  private factsOf(ref: string): Facts {
    return this.facts.get(ref) ?? { callId: null, use: null, type: null };
  }
}

function refsBeneath(body: Json): string[] {
  if (!isJsonObject(body)) return [];
  const file = readFileBody(body);
  return file === null ? filesInContent([body]).map((named) => named.file) : [file.bytes];
}

function factsOf(body: Json): Facts {
  if (!isJsonObject(body)) return { callId: null, use: null, type: null };
  const text = (name: keyof JsonObject) => (typeof body[name] === 'string' ? body[name] : null);
  const type = text('type');
  return { callId: text('call_id'), type, use: type === 'tool_use' ? text('id') : text('tool_use_id') };
}
