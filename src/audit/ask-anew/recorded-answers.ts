/**
 * Answers the calls of a new turn from the record. A recorded call answers once, and only a call of the same tool with the same
 * digest of its input, after the same calls that changed something: before those it would have answered otherwise.
 */
import { inputDigest } from '../../shared/json/digests';
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { text } from '../../record/fields';
import type { CallCase, TurnCase } from '../case-file/types';
import type { RecordedRef } from './types';

interface RecordedCall extends RecordedRef {
  /** Digests of the input as the model wrote it, and of each revision. */
  digests: ReadonlySet<string>;
  step: number;
  version: string;
  /** The block that the model read; null: it is not in the bundle. */
  result: JsonObject | null;
  changes: boolean;
  /** It gave the turn's result, and ended the turn. */
  ends: boolean;
}

export type RecordedAnswer =
  /** `result` is null: the call gave the turn's result, which ends the turn. */
  { recorded: RecordedRef; result: JsonObject | null } | { recorded: null; reason: string; nearest: RecordedRef | null };

export class RecordedAnswers {
  private readonly calls: RecordedCall[];
  private readonly givenCalls = new Set<RecordedCall>();

  constructor(turn: TurnCase) {
    const results = resultsIn(turn);
    const resultCall = resultCallOf(turn);
    const ids = [...new Set(turn.calls.filter(({ takenBack }) => !takenBack).map(({ id }) => id))];
    this.calls = ids.map((id) => {
      const revisions = turn.calls.filter((call) => call.id === id && !call.takenBack);
      const ends = resultCall !== null && revisions.some(({ digest }) => digest === resultCall);
      return { ...recordedOf(revisions, results), ends };
    });
  }

  /** What the recorded turn gave as its result; null: it answered with text, or not at all. */
  get turnResult(): string | null {
    return this.calls.find(({ ends }) => ends)?.input ?? null;
  }

  /** In the order of the record. */
  notGiven(): RecordedRef[] {
    return this.calls.filter((call) => !this.givenCalls.has(call)).map(short);
  }

  /** Answers the calls of one step, in their order. */
  answer(uses: readonly { tool: string; json: string }[]): RecordedAnswer[] {
    // Calls of one step do not see each other's effects, so all of them are compared with what was done before the step.
    const before = new Set([...this.givenCalls].filter(({ changes }) => changes));
    return uses.map((use) => this.one(use, before));
  }

  private one({ tool, json }: { tool: string; json: string }, before: ReadonlySet<RecordedCall>): RecordedAnswer {
    const ofTool = this.calls.filter((call) => call.tool === tool);
    const open = ofTool.filter((call) => !this.givenCalls.has(call));
    const without = (reason: string): RecordedAnswer => ({ recorded: null, reason, nearest: open[0] ? short(open[0]) : null });
    if (ofTool.length === 0) return without('the recorded turn never called this tool');
    const digest = digestOf(tool, ofTool[0]!.version, json);
    const same = ofTool.filter(({ digests }) => digests.has(digest));
    if (same.length === 0) return without('the recorded turn never called this tool with this input');
    const free = same.filter((call) => open.includes(call));
    if (free.length === 0) return without(`the recorded turn made this call ${same.length} times, and all its answers are used`);
    const fault = (call: RecordedCall) => this.faultBefore(call, before);
    const fitting = free.find((call) => fault(call) === null);
    if (fitting === undefined) return without(fault(free[0]!)!);
    if (fitting.result === null && !fitting.ends) return without('its answer was left out of the bundle, or was never given');
    this.givenCalls.add(fitting);
    return { recorded: short(fitting), result: fitting.ends ? null : fitting.result };
  }

  /** Why the recorded answer would not hold; null: the same was done before it. */
  private faultBefore({ callId, step }: RecordedCall, before: ReadonlySet<RecordedCall>): string | null {
    const needed = this.calls.filter((call) => call.changes && call.step < step);
    const missing = needed.find((call) => !before.has(call));
    if (missing) return `in the record, ${missing.tool} (${missing.callId}) had run before ${callId}, and here it has not`;
    const extra = [...before].find((call) => call.step >= step);
    return extra ? `in the record, ${extra.tool} (${extra.callId}) had not run before ${callId}, and here it has` : null;
  }
}

function recordedOf(revisions: readonly CallCase[], results: ReadonlyMap<string, JsonObject>): Omit<RecordedCall, 'ends'> {
  const [first] = revisions;
  const last = revisions.at(-1)!;
  const { id: callId, tool, version, step, state } = last;
  const askedJson = first!.askedInput;
  const inputs = revisions.flatMap(({ input }) => (input === null ? [] : [JSON.stringify(input)]));
  const all = [...(askedJson === null ? [] : [askedJson]), ...inputs];
  return {
    callId,
    tool,
    version,
    class: last.class,
    step,
    state,
    input: askedJson ?? inputs[0] ?? '',
    digests: new Set(all.map((json) => digestOf(tool, version, json))),
    result: results.get(first!.toolUseId ?? '') ?? null,
    changes: last.class !== 'read' && RUN_STATES.has(state ?? ''),
  };
}

/** States of a call that may have changed something. */
const RUN_STATES: ReadonlySet<string> = new Set(['running', 'pending', 'succeeded', 'failed', 'in_doubt']);

/** The digest of the call that gave the turn's result. */
function resultCallOf({ transcript }: TurnCase): string | null {
  const end = transcript.findLast(({ own, onChain, kind }) => own && onChain && kind === 'end');
  return end?.read?.kind === 'end' ? end.read.result_of : null;
}

/** What the model read, by the id of its call. */
function resultsIn({ transcript }: TurnCase): Map<string, JsonObject> {
  const own = transcript.filter(({ own, onChain, kind }) => own && onChain && kind === 'message');
  const blocks = own.flatMap(({ bodies }) => bodies.filter(isJsonObject)).filter(({ type }) => type === 'tool_result');
  return new Map(blocks.map((block) => [text(block.tool_use_id), block]));
}

/** Of an input that is no strict JSON: a digest of its text, which agrees with the same text only. */
function digestOf(tool: string, version: string, json: string): string {
  return inputDigest({ tool, version, input: readInput(json) });
}

function readInput(json: string): Json {
  try {
    return parseJson(json);
  } catch {
    return { 'not JSON': json.toWellFormed() };
  }
}

function short({ callId, tool, class: toolClass, input, state }: RecordedCall): RecordedRef {
  return { callId, tool, class: toolClass, input, state };
}
