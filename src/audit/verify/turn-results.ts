/**
 * Checks a turn's result: that the call which gave it is one that gives results, that the turn shows what was given, and that it fits
 * the schema of the agent's definition (rules D1, D2 and D6).
 */
import { GIVE_RESULT } from '../../shared/turn/result';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import { isMisfit } from './schema-fit';
import { HISTORY, RESULT, type SourceComparison } from './source-comparison';
import { attributesOf, eventType, firstPayload, hashOf, resultIn, UNKNOWN } from './values';

/** States in which a turn ends because its agent is done. */
const FINAL_STATES = new Set<Json | undefined>(['completed', 'refused']);

export class TurnResults {
  private runs = 0;
  /** By event: arguments of `endTurn`. Null: left out. */
  private ends = new Map<string, JsonObject | null>();
  /** Activities that propose calls: steps, and the admission of a direct call. */
  private steps = new Set<string>();
  /** Ids of calls that give results, by the steps that proposed them. */
  private readonly givers = new Set<Json>();
  /** The result's schema, by the definition of the last step that proposed such a call. */
  private schema: Json | undefined;

  constructor(
    private readonly all: SourceComparison,
    private readonly definitions: ReadonlyMap<string, JsonObject>,
  ) {}

  beginRun(): void {
    this.runs += 1;
    this.ends = new Map();
    this.steps = new Set();
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.noteArgument(event, attributes);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.noteOutput(attributes);
    const view = resultIn(type, attributes);
    if (view !== null) this.all.addFacts('run', String(this.runs), { result: hashOf(view.result ?? null) }, RESULT);
  }

  private noteArgument(event: JsonObject, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    const payload = firstPayload(input);
    const value = payload === UNKNOWN ? {} : object(payload);
    if (type === 'takeStep' || type === 'admitDirect') this.steps.add(text(event.eventId));
    if (type === 'endTurn') this.ends.set(text(event.eventId), payload === UNKNOWN ? null : value);
    const stray = list(value.outcomes)
      .map(object)
      .find(({ gives_result = false, call_id }) => gives_result !== this.givers.has(call_id ?? null));
    if (stray !== undefined && this.all.whole)
      this.all.report('D2', 'The outcome of a call says otherwise than its step whether it gives a result');
  }

  private noteOutput({ scheduledEventId, result }: JsonObject): void {
    const id = text(scheduledEventId);
    const payload = firstPayload(result);
    if (payload === UNKNOWN) return;
    const output = object(payload);
    if (this.steps.has(id)) this.step(list(output.calls ?? [output.call ?? null]).map(object));
    if (this.ends.has(id)) this.end(this.ends.get(id)!, output);
  }

  private step(calls: JsonObject[]): void {
    for (const { id, tool, gives_result, definition_ref } of calls) {
      const definition = this.definitions.get(text(definition_ref));
      const gives = tool === GIVE_RESULT && definition?.result !== undefined;
      if (definition !== undefined && gives !== (gives_result === true))
        this.all.report('D2', "A call is said to give a result, and its agent's definition says otherwise");
      // After a reset another call may have the same id.
      this.givers.delete(id ?? null);
      if (gives_result !== true) continue;
      this.givers.add(id ?? null);
      this.schema = definition?.result;
    }
  }

  private end(value: JsonObject | null, { head, result = null }: JsonObject): void {
    this.all.addFacts('run', String(this.runs), { result: hashOf(result) }, HISTORY);
    if (value === null) return;
    const { result_of = null, state, envelope } = value;
    this.all.addFacts('block', head, { result_of }, HISTORY);
    if (FINAL_STATES.has(state) && envelope !== true && result_of === null)
      this.all.report('D6', 'A turn is said to have come to its end after calls, and none of them gave a result');
    if ((result_of === null) !== (result === null))
      this.all.report('D6', 'A turn names the call that gave its result, and has none; or has one, and names no call');
    if (result_of !== null) this.all.addFacts('call', result_of, { input_hash: hashOf(result) }, HISTORY);
    if (isJsonObject(result) && this.schema !== undefined && isMisfit(this.schema, result))
      this.all.report('D6', "The turn's result does not fit the schema that the agent's definition has for it");
  }
}
