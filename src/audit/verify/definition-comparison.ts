/**
 * Compares steps with the agent's definition, and blocks with the activities that wrote them: limits of a turn, whether a tool may
 * be repeated or an agent answers it, uses of the vendor's own tools, and compaction (rules D1, D2, D4 and D6).
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody } from '../format/lines';
import type { Blocks } from './blocks';
import { quote } from './fault';
import { HISTORY, TRANSCRIPT, type SourceComparison } from './source-comparison';
import { attributesOf, eventType, firstPayload, hashOf, UNKNOWN } from './values';

/** Fields of a turn's policy that the definition has too. */
const POLICY = ['limits', 'max_parallel', 'sibling_abort', 'approval_expiry_ms', 'steer_supersedes'] as const;
/** Kinds of `held` that admission may drop, or may find anew, when it prepares the question. */
const FOUND_ANEW = new Set<Json | undefined>(['reset', 'same_intent', 'preview_drifted', 'target_changed']);
/** By `stop_reason`: what comes after an answer without calls; by default the turn ends. */
const AFTER = new Map([
  ['refusal', 'refusal'],
  ['pause_turn', 'continue'],
  ['max_tokens', 'cut'],
  ['model_context_window_exceeded', 'full'],
  ['prompt_too_long', 'full'],
]);
const TOO_LONG = 'prompt_too_long';
const NOT_KEPT = /^\[a block of type [^]* could not be kept\]$/;

interface Step {
  policy: JsonObject;
  calls: JsonObject[];
}

interface ScheduledActivity {
  type: string;
  value: JsonObject;
}

/** A block of an answer: a use of one of the vendor's own tools, or another block. Null: unknown. */
type Content = JsonObject | 'other' | null;

export class DefinitionComparison {
  private activities = new Map<string, ScheduledActivity>();
  /** By the admission that the step wrote. */
  private readonly steps = new Map<string, Step>();
  private readonly bodies = new Map<string, JsonObject>();
  private readonly contents = new Map<string, Content>();
  /** By block: parts of own messages of the model. */
  private readonly answers = new Map<string, readonly string[]>();
  /** By the same block: which model made the answer; null: an older build, which did not record it. */
  private readonly origins = new Map<string, Json>();
  /** By the preview that people were shown: what held the call back, as admission was told. */
  private readonly holds = new Map<string, Json[]>();

  constructor(
    private readonly all: SourceComparison,
    private readonly blocks: Blocks,
    private readonly definitions: ReadonlyMap<string, JsonObject>,
  ) {}

  beginRun(): void {
    this.activities = new Map();
  }

  event(event: JsonObject): void {
    const { activityType, input, scheduledEventId, result } = attributesOf(event);
    if (eventType(event) === 'ACTIVITY_TASK_SCHEDULED') {
      const value = firstPayload(input);
      const { at, head, held, expires_at } = value === UNKNOWN ? {} : object(value);
      const facts = { at, head, held, expires_at, known: value !== UNKNOWN } as JsonObject;
      this.activities.set(text(event.eventId), { type: text(object(activityType).name), value: facts });
    }
    if (eventType(event) !== 'ACTIVITY_TASK_COMPLETED') return;
    const one = this.activities.get(text(scheduledEventId));
    const output = firstPayload(result);
    if (one && output !== UNKNOWN) this.checkResult(one, object(output));
  }

  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    if (!isJsonObject(body)) return;
    if (isJsonObject(body.subject) || body.v === 'holdfast.summary/1' || body.role !== undefined) this.bodies.set(ref, body);
    this.contents.set(ref, contentOf(body));
    const admissionHolds = this.holds.get(ref);
    if (admissionHolds === undefined) return;
    const hashes = (holds: Json[]) =>
      holds.filter((one) => !FOUND_ANEW.has(object(one).kind)).map((one) => hashOf(one)).sort().join(); // oxfmt-ignore
    if (hashes(admissionHolds) !== hashes(list(body.held)))
      this.all.report('D4', 'People were shown something else of what held the call back than admission was told');
  }

  block({ ref, block }: BlockBody): void {
    const [first = '', ...rest] = block.parts;
    const body = this.bodies.get(first);
    const isOwn = this.blocks.own.has(ref);
    // The summary of a compaction before the first step is before the start of the turn.
    const isTold = this.all.facts.knows('block', ref, 'did');
    if (block.kind === 'summary' && (isOwn || isTold)) this.summary(ref, block.at, body);
    else if (isTold) this.all.addFacts('block', ref, { did: 'nothing' }, TRANSCRIPT);
    if (!isOwn) return;
    if (block.kind === 'message' && body?.role === 'assistant') {
      this.answers.set(ref, rest);
      this.origins.set(ref, body.origin ?? null);
    }
    if (block.kind !== 'admission' || body === undefined) return;
    this.admission(this.steps.get(ref), this.definitions.get(text(body.definition_ref)));
    this.serverTools(body.server_tools, this.answers.get(block.parent ?? ''));
    this.origin(body, this.origins.get(block.parent ?? ''));
  }

  private checkResult({ type, value }: ScheduledActivity, output: JsonObject): void {
    const { head, answer_head, policy, calls, call, preview_ref } = output;
    if (type === 'takeStep')
      this.steps.set(text(answer_head ?? head), { policy: object(policy), calls: list(calls).map(object) });
    if (type === 'admitDirect') {
      this.steps.set(text(head), { policy: object(policy), calls: [object(call)] });
      this.all.addFacts('block', head, { at: value.at }, HISTORY);
    }
    if (type === 'takeStep') this.next(output);
    if (type === 'compact') this.checkCompaction(value, output);
    if (type === 'admitCall' && typeof value.expires_at === 'string' && typeof preview_ref === 'string')
      this.holds.set(preview_ref, list(value.held));
  }

  /** D2: the answer is of the model that took the step. A request that was too long has no answer. */
  private origin({ origin = null, stop_reason }: JsonObject, answer: Json | undefined): void {
    if (answer === undefined || stop_reason === TOO_LONG || hashOf(origin) === hashOf(answer)) return;
    this.all.report('D2', 'The answer is of another model than the one that is said to have taken the step');
  }

  /** D6: what a compaction did. If it did nothing, the head may be that of an earlier summary. */
  private checkCompaction({ at, head: before, known }: JsonObject, { head, did }: JsonObject): void {
    const isLess = did !== 'nothing';
    if (isLess) this.all.addFacts('block', head, { at }, HISTORY);
    if (isLess || (known === true && head !== before)) this.all.addFacts('block', head, { did }, HISTORY);
  }

  /** D2: `next` follows from the calls of the step and from its `stop_reason`. */
  private next({ next, calls, stop_reason }: JsonObject): void {
    if (next === undefined) return;
    if (next !== 'refusal' && (next === 'calls') !== list(calls).length > 0)
      this.all.report('D2', 'A step says that its calls are to be run, and has none; or has some, and does not say so');
    const isRefusal = stop_reason === 'refusal';
    const follows = isRefusal || list(calls).length === 0 ? (AFTER.get(text(stop_reason)) ?? 'end') : 'calls';
    if (typeof stop_reason === 'string' && next !== follows)
      this.all.report('D2', `A step's answer ended with ${quote(stop_reason)}, and it says ${quote(next)} of what comes next`);
  }

  private admission(step: Step | undefined, definition: JsonObject | undefined): void {
    if (step === undefined || definition === undefined) return;
    const definedPolicy = object(definition.policy);
    const other = POLICY.find((field) => {
      const stepValue = field === 'steer_supersedes' ? (step.policy[field] ?? false) : step.policy[field];
      return (
        isJsonObject(step.policy.limits) &&
        definedPolicy[field] !== undefined &&
        hashOf(stepValue) !== hashOf(definedPolicy[field])
      );
    });
    if (other !== undefined) this.all.report('D1', `A step says another ${other} of its turn than the agent's definition has`);
    for (const { tool, version, idempotent, sub_agent = null } of step.calls) {
      const tools = list(definition.tools).map(object).filter((one) => one.name === tool && one.version === version); // oxfmt-ignore
      const agents = tools.map((one) => one.sub_agent);
      if (agents.length > 0 && !agents.includes(undefined) && !agents.includes(sub_agent))
        this.all.report('D2', 'A call is said to be answered by another agent than the definition of its tool has, or by none');
      if (
        tools.length === 0 ||
        idempotent === undefined ||
        tools.some((one) => one.idempotent === null || one.idempotent === idempotent)
      )
        continue;
      this.all.report('D2', 'A call says otherwise than the definition of its tool whether it may be repeated');
    }
  }

  /** D2: the answer has the uses of the vendor's own tools, too. */
  private serverTools(recordedUses: Json | undefined, answer: readonly string[] | undefined): void {
    if (!Array.isArray(recordedUses)) return;
    const contents = (answer ?? []).map((ref) => this.contents.get(ref) ?? null);
    if (contents.includes(null)) return;
    const answerUses = contents.filter((one) => isJsonObject(one as Json));
    const admissionUses = recordedUses.map((one) => ({ name: object(one).name ?? null, id: object(one).id ?? null }));
    if (hashOf(admissionUses) !== hashOf(answerUses as Json))
      this.all.report('D2', "The answer has other uses of the vendor's own tools than its admission");
  }

  /** D6 */
  private summary(ref: string, at: string, body: JsonObject | undefined): void {
    const did = body && (typeof body.cleared_to === 'string' ? 'cleared' : 'summarized');
    this.all.addFacts('block', ref, { at, did }, TRANSCRIPT);
  }
}

function contentOf({ type, text: content, name = null, id = null }: JsonObject): Content {
  if (type === 'server_tool_use') return { name, id };
  return type === 'text' && (typeof content !== 'string' || NOT_KEPT.test(content)) ? null : 'other';
}
