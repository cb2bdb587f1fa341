/** Compares what the model was told of calls with their outcomes (rule D8). It keeps only hashes, because results are large. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { hashJson } from '../../shared/json/digests';
import { list, object, text } from '../../record/fields';
import { isFilePart } from '../../shared/turn/message';
import { attempt } from './values';

/** A call's outcome, as a step was given it. */
interface Outcome {
  hasFailed: boolean;
  /** Null: there is no result, and `says` has the error. */
  result_ref: string | null;
  says: string;
  note: string | null;
}

/** What a result tells the model; null: unknown. */
interface Result {
  says: string | null;
  /** Notes of hooks. */
  notes: string[];
}

/** A `tool_result`. */
interface ToolResultFacts {
  use: string;
  hasFailed: boolean;
  /** One of these is the outcome of the call. */
  says: readonly string[];
  note: Json;
}

const SUCCESS = 'success';

export class ToolResultChecks {
  /** By the model's id of the call (`tool_use_id`). */
  private readonly outcomes = new Map<string, Outcome[]>();
  /** By ref. */
  private readonly results = new Map<string, Result>();
  /** By the refs of their parts, which may be in several blocks. */
  private readonly parts = new Map<string, [ToolResultFacts]>();
  private readonly users = new Set<string>();
  private readonly toolResults: ToolResultFacts[] = [];

  outcome({ tool_use_id, state, result_ref, error, note = null }: JsonObject): void {
    const outcomes = this.outcomes.get(text(tool_use_id)) ?? [];
    const ref = typeof result_ref === 'string' ? result_ref : null;
    const advice = typeof note === 'string' ? note : null;
    outcomes.push({ hasFailed: state !== 'succeeded', result_ref: ref, says: ofError(error), note: advice });
    this.outcomes.set(text(tool_use_id), outcomes);
  }

  result(ref: string, body: JsonObject): void {
    const { hooks } = object(object(body.envelope).metadata);
    const notes = list(hooks).flatMap((hook) => object(hook).note ?? []);
    this.results.set(ref, { says: saidBy(ref, body), notes: notes.filter((note) => typeof note === 'string') });
  }

  part(ref: string, body: JsonObject): void {
    if (body.role === 'user') this.users.add(ref);
    if (body.type !== 'tool_result') return;
    const { tool_use_id, is_error, content } = body;
    this.parts.set(ref, [{ use: text(tool_use_id), hasFailed: is_error === true, ...saidIn(content) }]);
  }

  message([first = '', ...parts]: string[]): void {
    if (!this.users.has(first)) return;
    for (const ref of parts) this.toolResults.push(...(this.parts.get(ref) ?? []));
  }

  /** Whether everything that the model was told is an outcome of a call with that id. */
  agrees(): boolean {
    return this.toolResults.every((facts) => (this.outcomes.get(facts.use) ?? []).some((outcome) => this.isOf(facts, outcome)));
  }

  private isOf(facts: ToolResultFacts, { hasFailed, result_ref, says, note }: Outcome): boolean {
    if (facts.hasFailed !== hasFailed) return false;
    const result = result_ref === null ? { says, notes: [] } : (this.results.get(result_ref) ?? null);
    if (result === null || result.says === null) return true;
    const notes = [...(note === null ? [] : [note]), ...result.notes];
    return facts.says.includes(result.says) && facts.note === (notes.length === 0 ? null : notes.join(' '));
  }
}

function saidBy(ref: string, { envelope, inline, summary }: JsonObject): string | null {
  const { success, error, data = null } = object(envelope) as Partial<Record<string, Json>>;
  if (success === false) return ofError(error);
  if (success !== true) return null;
  if (inline === false) return ofLarge({ ref, summary: summary ?? null });
  return inline === true && !hasFile(data) ? ofData(data) : SUCCESS;
}

/** All that a text may mean: a success with this data, a success whose data is in the store, or an error; and its note. */
function saidIn(content: Json | undefined): Pick<ToolResultFacts, 'says' | 'note'> {
  const [one, ...more] = list(content).map(object);
  // Files that the tool shows follow the text, or a text that says why one of them does not.
  if (one === undefined || one.type !== 'text' || !more.every((part) => isFilePart(part) || isNote(part)))
    return { says: [], note: null };
  const envelope = object(attempt(() => JSON.parse(text(one.text)) as Json) ?? null);
  const { success, data = null, error, note = null } = envelope;
  if (success === false) return { says: [ofError(error)], note };
  return { says: success === true ? [SUCCESS, ofData(data), ofLarge(object(data))] : [], note };
}

/** In place of a file: a text in brackets, which is no JSON. */
function isNote({ type, text: words, ...others }: JsonObject): boolean {
  return type === 'text' && /^\[[^{}]*\]$/.test(text(words)) && Object.keys(others).length === 0;
}

function hashOf(value: Json): string {
  return attempt(() => hashJson(value)) ?? '';
}

function ofData(data: Json): string {
  return `data ${hashOf(data)}`;
}

function ofLarge({ ref = null, summary = null }: JsonObject): string {
  return `large ${hashOf({ ref, summary })}`;
}

function ofError(error: Json | undefined): string {
  const { code = null, reason = null, message = null } = object(error);
  return `error ${hashOf({ code, reason, message })}`;
}

/** The model receives a file without its bytes. */
function hasFile(data: Json): boolean {
  if (Array.isArray(data)) return data.some(hasFile);
  if (!isJsonObject(data)) return false;
  return (typeof data.filename === 'string' && typeof data.content_type === 'string') || Object.values(data).some(hasFile);
}
