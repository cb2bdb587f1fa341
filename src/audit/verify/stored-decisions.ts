/**
 * Checks the decisions that the store keeps while a turn continues in another run: the next run reads the part that this run stored
 * (D1). `decision-checks.ts` (H9) and `run-comparison.ts` (D5) check the content of the part.
 */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  eachText,
  isPacked,
  unpackJson,
  type PackedJson,
} from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { History } from './history';
import type { SourceComparison } from './source-comparison';
import { attributesOf, eventType, firstPayload, UNKNOWN, type JsonOrUnknown } from './values';

export class StoredDecisions {
  /** By run: refs of the parts that it stored. */
  private readonly storedRefs = new Map<string, Set<Json>>();
  /** By event: activities of this run. */
  private activities = new Map<string, string>();
  /** `said_ref` in the run's argument. */
  private argumentRef: JsonOrUnknown = UNKNOWN;

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
  ) {}

  beginRun(): void {
    this.activities = new Map();
    this.argumentRef = UNKNOWN;
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    if (type === 'WORKFLOW_EXECUTION_STARTED') this.checkStart(attributes);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, attributes);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.noteResult(attributes);
  }

  private checkStart({ input, continuedExecutionRunId }: JsonObject): void {
    const before = text(continuedExecutionRunId);
    const payload = firstPayload(input);
    this.argumentRef = payload === UNKNOWN ? UNKNOWN : (object(object(payload).resume).said_ref ?? null);
    if (typeof this.argumentRef !== 'string' || !this.all.whole || !this.history.runs.includes(before)) return;
    if (!this.storedRefs.get(before)?.has(this.argumentRef))
      this.all.report('D1', 'The run was to read what people have said in another part than the run before it had kept');
  }

  private activity({ eventId }: JsonObject, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    this.activities.set(text(eventId), type);
    const payload = firstPayload(input);
    if (type !== 'readSaid' || payload === UNKNOWN || this.argumentRef === UNKNOWN) return;
    if ((object(payload).said_ref ?? null) !== this.argumentRef)
      this.all.report('D1', 'What people have said was read in another part than the run was given');
  }

  private noteResult({ scheduledEventId, result }: JsonObject): void {
    const payload = firstPayload(result);
    if (this.activities.get(text(scheduledEventId)) !== 'keepSaid' || payload === UNKNOWN) return;
    const run = this.history.runs.at(-1)!;
    this.storedRefs.set(run, (this.storedRefs.get(run) ?? new Set()).add(object(payload).said_ref ?? null));
  }
}

/** The approvals and denials in what the store was to keep; none if it is not packed as the engine packs it. */
export function decisionsIn(value: Json | undefined): Json[] {
  const all = isPacked(value) && isWhole(value) ? unpackJson(value) : [];
  return list(all)
    .flatMap((one) => one)
    .filter((one) => isJsonObject(one) && one.decision !== 'edit');
}

const PLACE = /^~(0|[1-9][0-9]{0,8})$/;

/** Whether each place `~n` in it has a text. */
function isWhole({ value, texts }: PackedJson): boolean {
  const isText = (text: string) =>
    !text.startsWith('~') || text.startsWith('~~') || (PLACE.test(text) && typeof texts[Number(text.slice(1))] === 'string');
  let whole = value !== undefined;
  eachText(value, (text) => (whole &&= isText(text)));
  return whole;
}
