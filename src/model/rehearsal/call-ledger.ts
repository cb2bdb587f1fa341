/**
 * The ledger of a rehearsal: looks up results of earlier calls in the conversation, joins results that were read in pages, and picks the
 * calls that a player still has to make.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { Conversation, OfferedTool, PastCall } from './conversation';
import { parse, refOf, type ResultError, type ToolResult } from './tool-result';

export interface WantedCall {
  name: string;
  input: JsonObject;
}

export interface Play {
  text: string;
  /** Empty: the turn ends. */
  calls: WantedCall[];
}

/** Calls that are made together, as a function of what is known by then; undefined: the call's input is not known. */
export interface Stage {
  narration: string;
  calls(ledger: Ledger): (WantedCall | undefined)[];
}

/** Most pages that are read of one large result. */
const MAX_PAGES = 40;

export class Ledger {
  constructor(readonly conversation: Conversation) {}

  tool(name: string): OfferedTool | undefined {
    return this.conversation.tools.find((tool) => tool.name === name);
  }

  /** The latest result of a call with this name and input. */
  find(call: WantedCall): ToolResult | undefined {
    return this.conversation.calls.findLast((past) => past.name === call.name && sameInput(past.input, call.input))?.result;
  }

  /** Every past call of a tool, in order. */
  all(name: string): PastCall[] {
    return this.conversation.calls.filter((past) => past.name === name);
  }

  /**
   * The calls that are still missing before all results of `calls` are known: the calls themselves, then pages of results that
   * were too large. Tools that are not offered are skipped.
   */
  missing(calls: WantedCall[]): WantedCall[] {
    const open = calls.filter((call) => this.tool(call.name) !== undefined && this.find(call) === undefined);
    return open.length > 0 ? open : calls.flatMap((call) => this.nextPage(call) ?? []);
  }

  /** The whole data of a call; or why there is none. */
  outcome(call: WantedCall): ToolResult {
    const result = this.find(call);
    if (result === undefined) return unavailable(this.tool(call.name) ? 'not called' : 'tool not offered');
    const ref = result.ok ? refOf(result.data) : undefined;
    if (ref === undefined) return result;
    const pages = this.pages(ref);
    const data = pages.failed === undefined ? parse(pages.text) : undefined;
    return data === undefined ? unavailable(pages.failed ?? `result ${ref} could not be read whole`) : { ok: true, data };
  }

  /** The data of a call as an object, or undefined. */
  data(call: WantedCall): JsonObject | undefined {
    const outcome = this.outcome(call);
    return outcome.ok && isJsonObject(outcome.data) ? outcome.data : undefined;
  }

  private nextPage(call: WantedCall): WantedCall | undefined {
    const result = this.find(call);
    const ref = result?.ok ? refOf(result.data) : undefined;
    const reader = this.tool('read_result');
    if (ref === undefined || reader === undefined) return undefined;
    const pages = this.pages(ref);
    if (pages.failed !== undefined || pages.next === null || pages.count >= MAX_PAGES) return undefined;
    return { name: 'read_result', input: { ref, ...(pages.next > 0 ? { offset: pages.next } : {}), ...limit(reader) } };
  }

  /** The pages of a result that were read: its text so far, and where to continue (null: it is whole). */
  private pages(ref: string): { text: string; next: number | null; count: number; failed?: string } {
    const read = this.all('read_result').filter((call) => call.input.ref === ref);
    const byOffset = new Map(read.map((call) => [typeof call.input.offset === 'number' ? call.input.offset : 0, call.result]));
    let text = '';
    let next: number | null = 0;
    let count = 0;
    while (next !== null && byOffset.has(next)) {
      const page: ToolResult = byOffset.get(next)!;
      if (!page.ok) return { text, next, count, failed: `${page.error.kind}: ${page.error.message}` };
      const data: JsonObject = isJsonObject(page.data) ? page.data : {};
      text += typeof data.text === 'string' ? data.text : '';
      const following: Json = data.next_offset ?? null;
      next = typeof following === 'number' && following > next ? following : null;
      count++;
    }
    return { text, next, count };
  }
}

/** The first stage with results that are not in the conversation yet; undefined: no such stage. */
export function nextStage(ledger: Ledger, stages: Stage[]): Play | undefined {
  for (const { narration, calls: propose } of stages) {
    const calls = ledger.missing(propose(ledger).filter((call) => call !== undefined));
    if (calls.length === 0) continue;
    const reading = calls.every((call) => call.name === 'read_result');
    return { text: reading ? 'Some results are long; I read them.' : narration, calls };
  }
  return undefined;
}

/** The most that the tool returns at once, if its schema says so. */
function limit(reader: OfferedTool): JsonObject {
  const properties = reader.schema.properties;
  const schema = isJsonObject(properties) && isJsonObject(properties.limit) ? properties.limit : {};
  return typeof schema.maximum === 'number' && schema.maximum < Number.MAX_SAFE_INTEGER ? { limit: schema.maximum } : {};
}

function unavailable(message: string): ToolResult {
  const error: ResultError = { code: '', kind: 'UNAVAILABLE', reason: '', message, hint: '', text: message };
  return { ok: false, error };
}

/** Equal except for the order of keys. */
function sameInput(a: Json, b: Json): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sortKeys(value[key] ?? null)]);
}
