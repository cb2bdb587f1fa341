/**
 * What people have said and the store keeps while their turn goes on in another run: the next run reads the part that this one has
 * had kept (D1). What stands in it: `as-said.ts` (H9), `twice-in-runs.ts` (D5).
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json';
import { isPacked } from '../../shared/packed';
import { list, object, text } from '../case-file/loose';
import type { History } from './history';
import type { Testimony } from './testimony';
import { attributesOf, eventType, firstPayload, UNKNOWN, type Known } from './values';

export class KeptSaid {
  /** By run: parts that the store has taken. */
  private readonly kept = new Map<string, Set<Json>>();
  /** By event: activities of this run. */
  private scheduled = new Map<string, string>();
  /** What the run's argument names. */
  private named: Known = UNKNOWN;

  constructor(
    private readonly all: Testimony,
    private readonly history: History,
  ) {}

  beginRun(): void {
    this.scheduled = new Map();
    this.named = UNKNOWN;
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    if (type === 'WORKFLOW_EXECUTION_STARTED') this.started(attributes);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, attributes);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.completed(attributes);
  }

  private started({ input, continuedExecutionRunId }: JsonObject): void {
    const before = text(continuedExecutionRunId);
    const payload = firstPayload(input);
    this.named = payload === UNKNOWN ? UNKNOWN : (object(object(payload).resume).said_ref ?? null);
    if (typeof this.named !== 'string' || !this.all.whole || !this.history.runs.includes(before)) return;
    if (!this.kept.get(before)?.has(this.named))
      this.all.report('D1', 'The run was to read what people have said in another part than the run before it had kept');
  }

  private activity({ eventId }: JsonObject, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    this.scheduled.set(text(eventId), type);
    const payload = firstPayload(input);
    if (type !== 'readSaid' || payload === UNKNOWN || this.named === UNKNOWN) return;
    if ((object(payload).said_ref ?? null) !== this.named)
      this.all.report('D1', 'What people have said was read in another part than the run was given');
  }

  private completed({ scheduledEventId, result }: JsonObject): void {
    const payload = firstPayload(result);
    if (this.scheduled.get(text(scheduledEventId)) !== 'keepSaid' || payload === UNKNOWN) return;
    const run = this.history.runs.at(-1)!;
    this.kept.set(run, (this.kept.get(run) ?? new Set()).add(object(payload).said_ref ?? null));
  }
}

/** The approvals and denials in what the store was to keep; none where it is not packed as the engine packs it. */
export function decisionsIn(said: Json | undefined): Json[] {
  const all = isPacked(said) ? unpacked(said.value, said.texts) : undefined;
  return list(all)
    .flatMap((one) => one)
    .filter((one) => isJsonObject(one) && one.decision !== 'edit');
}

const PLACE = /^~(0|[1-9][0-9]{0,8})$/;

/** As `shared/packed.ts` does it; undefined for what that has not written. */
function unpacked(value: Json, texts: readonly unknown[]): Json | undefined {
  if (typeof value === 'string') {
    if (!value.startsWith('~')) return value;
    if (value.startsWith('~~')) return value.slice(1);
    const text = PLACE.test(value) ? texts[Number(value.slice(1))] : undefined;
    return typeof text === 'string' ? text : undefined;
  }
  if (Array.isArray(value)) {
    const items = value.map((one) => unpacked(one, texts));
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, unpacked(one, texts)] as const);
  return fields.some(([, one]) => one === undefined) ? undefined : (Object.fromEntries(fields) as JsonObject);
}
