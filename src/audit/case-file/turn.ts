/** Builds one turn of a bundle from its events, blocks and effect records. */
import type { BlockBody, RunBody, TurnBody, TurnEndBody } from '../format/lines';
import { effectRecordFacts, type EffectRecordFacts } from '../../record/effect';
import { messageContent, ofKind, readBlock, type ReadEnd, type ReadOf } from '../../record/read-block';
import type { Json, JsonObject } from '../../shared/json/json';
import { fileNote, isFilePart } from '../../shared/turn/message';
import type { BlockKind } from '../../shared/turn/transcript';
import { CALL_WORKFLOW } from '../../workflows/contract';
import { CallBook, type Parts } from './calls';
import { filesOf } from './files';
import { History } from './history';
import { list, number, object, objectOrNull, text, textOrNull, time } from '../../record/fields';
import { outsidersIn } from './outsiders';
import { signatureOf, type Signatures } from './signatures';
import type { BlockCase, CallCase, StepCase, TurnCase, Usage } from './types';

export class TurnBuilder {
  readonly history = new History();
  private readonly blocks: BlockCase[] = [];
  private readonly ownRefs = new Set<string>();
  private readonly effects: EffectRecordFacts[] = [];

  constructor(
    private readonly body: TurnBody,
    private readonly parts: Parts,
    private readonly signatures: Signatures,
    /** Names of the tools that return text of outsiders. */
    private readonly tools: ReadonlySet<string>,
  ) {}

  run({ run_id, began }: RunBody): void {
    this.history.run(run_id, began);
  }

  block({ ref, block }: BlockBody): void {
    const { parent, kind, at, parts } = block;
    const bodies = list(parts).map((part) => this.parts.get(text(part)) ?? null);
    const read = readBlock({ block, bodies });
    const steer = read?.kind === 'message' ? read.steer : null;
    const signature = signatureOf(steer?.attestation, this.signatures);
    const entry = { ref: text(ref), parent: textOrNull(parent), kind: text(kind), at: time(at), bodies, read, signature };
    const own = this.isOwn(entry);
    if (own) this.ownRefs.add(entry.ref);
    this.blocks.push({ ...entry, own, onChain: false });
  }

  effect(record: JsonObject): void {
    this.effects.push(effectRecordFacts(record));
  }

  /** @param end null: the bundle was cut short before it */
  build(end: TurnEndBody | null): TurnCase {
    const { history, body } = this;
    const head = textOrNull(end?.head) ?? this.blocks.at(-1)?.ref ?? null;
    this.markChain(head);
    const own = this.blocks.filter((block) => block.own);
    const chain = own.filter(({ onChain }) => onChain);
    const book = new CallBook(this.parts, this.signatures);
    for (const activity of history.activities) book.activity(activity);
    for (const block of own) book.block(block);
    const calls = book.calls;
    const { view } = history;
    this.finish(calls, view);
    const start = readOf('start', chain)[0] ?? null;
    const last = readOf('end', chain).at(-1) ?? null;
    const steps = this.steps(own);
    const first = history.runs[0];
    const final = history.runs.at(-1);
    const endBlockAt = chain.findLast(({ kind }) => kind === 'end')?.at ?? null;
    const { input } = history;
    const direct = history.workflowType === CALL_WORKFLOW || body.workflow_id.startsWith('call/');
    return {
      turnId: body.turn_id,
      workflowId: body.workflow_id,
      firstRunId: body.first_execution_run_id ?? '',
      parent: body.parent ? { turnId: text(body.parent.turn_id), callId: text(body.parent.call_id) } : null,
      direct,
      agent: textOrNull(view.agent) ?? start?.agent ?? text(input.agent),
      requester: textOrNull(input.requester) ?? start?.requester ?? text(view.requester),
      startSignature: signatureOf(textOrNull(input.attestation) ?? start?.attestation, this.signatures),
      sessionId: textOrNull(input.session_id) ?? start?.session_id ?? null,
      traceId: textOrNull(input.trace_id) ?? start?.trace_id ?? null,
      asked: direct
        ? directCall(input, calls)
        : (textOrNull(input.message) ?? joinTexts(chain.find((block) => roleOf(block) === 'user'))),
      answer: textOrNull(view.text) ?? joinTexts(chain.findLast((block) => roleOf(block) === 'assistant')),
      result: objectOrNull(view.result),
      state: stateOf(view, last, final),
      reason: textOrNull(view.reason) ?? last?.reason ?? (final?.ended ? final.reason : null),
      startedAt: first?.startedAt ?? own[0]?.at ?? null,
      endedAt: final ? (final.ended === 'continued' ? null : final.endedAt) : endBlockAt,
      model: steps.find(({ model }) => model !== null)?.model ?? null,
      policyRef: textOrNull(object(this.firstPolicy()).policy_ref) ?? start?.policy_ref ?? null,
      definitionRef: start?.definition_ref ?? definitionIn(own),
      limits: objectOrNull(object(this.firstPolicy()).limits),
      usage: usageOf(view.usage) ?? sum(steps.filter(({ takenBack }) => !takenBack).map(({ usage }) => usage)),
      runs: history.runs,
      steps,
      calls,
      messages: history.messages,
      ignored: { count: number(object(view.ignored_signals).count), last: list(object(view.ignored_signals).last).map(object) },
      files: filesOf(chain, this.parts),
      outsiders: outsidersIn(this.blocks, calls, this.tools),
      effects: this.effects,
      transcript: this.blocks,
      head,
      hasHistory: history.runs.some(({ events }) => events > 0),
      complete: end?.complete === true,
      why: end ? end.why : 'The bundle ends before this turn does.',
    };
  }

  /** Whether the block is of this turn, from its start block on; earlier blocks are of the conversation that it continues. */
  private isOwn({ kind, parent, bodies, read }: Pick<BlockCase, 'kind' | 'parent' | 'bodies' | 'read'>): boolean {
    if (parent !== null && this.ownRefs.has(parent)) return true;
    if (kind !== 'start') return false;
    const run = read?.kind === 'start' ? read.first_execution_run_id : null;
    return bodies[0] === null || (run !== null && run === this.body.first_execution_run_id);
  }

  /** Marks the blocks from the head back to the first block. */
  private markChain(head: string | null): void {
    const blocks = new Map(this.blocks.map((block) => [block.ref, block]));
    let at = head === null ? undefined : blocks.get(head);
    while (at && !at.onChain) {
      at.onChain = true;
      at = at.parent === null ? undefined : blocks.get(at.parent);
    }
  }

  private steps(own: BlockCase[]): StepCase[] {
    const stepActivities = this.history.activities.filter(({ type }) => type === 'takeStep');
    const admissions = own.filter(({ kind, read }) => kind === 'admission' && !(read?.kind === 'admission' && read.direct));
    const steps = stepActivities.map((activity): StepCase => {
      const output = object(activity.output);
      return {
        ...BLANK,
        step: number(object(activity.input).step),
        takenBack: activity.takenBack,
        activity,
        at: activity.scheduledAt,
        stopReason: textOrNull(output.stop_reason),
        usage: usageOf(output.usage) ?? NONE,
        text: textOrNull(output.text),
      };
    });
    const chainAdmissions = admissions.filter(({ onChain }) => onChain);
    for (const block of admissions) {
      const nth = chainAdmissions.indexOf(block) + 1;
      let step = steps.find(({ activity }) => activity !== null && admittedBy(object(activity.output), block, own));
      step ??= steps.find(({ step, takenBack }) => step === nth && !takenBack);
      if (!step && nth > 0) steps.push((step = { ...BLANK, step: nth, at: block.at }));
      if (!step) continue;
      const request = block.read?.kind === 'admission' ? block.read : null;
      step.model = request?.model ?? null;
      step.origin = request?.origin ?? null;
      step.passed = request?.passed ?? [];
      step.messageId = request?.message_id ?? null;
      step.requestId = request?.request_id ?? null;
      step.stopReason ??= request?.stop_reason ?? null;
      if (step.activity === null) step.usage = usageOf(request?.usage) ?? NONE;
      step.text ??= joinTexts(own.find(({ ref }) => ref === block.parent));
    }
    return steps;
  }

  /** Adds to each call what the turn's last view and its effect records say, and sorts the calls. */
  private finish(calls: CallCase[], view: JsonObject): void {
    for (const callView of list(view.calls).map(object)) {
      const call = calls.findLast(
        ({ id, revision, takenBack }) => id === callView.id && revision === number(callView.revision, 1) && !takenBack,
      );
      if (!call) continue;
      call.state = textOrNull(callView.state) ?? call.state;
      call.effect = textOrNull(callView.effect) ?? call.effect;
      call.digest = textOrNull(callView.digest) ?? call.digest;
      call.idempotencyKey = textOrNull(callView.idempotency_key) ?? call.idempotencyKey;
      call.summary ??= textOrNull(callView.result_summary);
      call.error ??= objectOrNull(callView.error);
    }
    for (const record of this.effects) {
      const call = calls.findLast(({ digest }) => digest !== null && digest === record.digest);
      if (call) call.record = record;
    }
    for (const call of calls) call.state ??= inferState(call);
    calls.sort((a, b) => order(a) - order(b));
  }

  private firstPolicy(): Json {
    const activity = this.history.activities.find(({ output }) => object(output).policy !== undefined);
    return object(activity?.output).policy ?? null;
  }
}

function stateOf(view: JsonObject, last: ReadEnd | null, run: History['runs'][number] | undefined): string {
  const state = textOrNull(view.state) ?? last?.state ?? null;
  if (state !== null && run?.ended !== 'terminated' && run?.ended !== 'timed_out') return state;
  if (run === undefined) return state ?? 'unknown';
  return run.ended === null || run.ended === 'continued' ? 'running' : run.ended;
}

/** The definition that the admissions name, for a turn whose start block was redacted. */
function definitionIn(own: BlockCase[]): string | null {
  return readOf('admission', own).find(({ definition_ref }) => definition_ref !== null)?.definition_ref ?? null;
}

/** The readable blocks of one kind, in order. */
export function readOf<K extends BlockKind>(kind: K, blocks: readonly BlockCase[]): ReadOf<K>[] {
  return ofKind(
    kind,
    blocks.map(({ read }) => read),
  );
}

const NONE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd: 0,
  unpricedTokens: 0,
};
const BLANK: StepCase = {
  step: 0,
  takenBack: false,
  activity: null,
  at: null,
  model: null,
  messageId: null,
  requestId: null,
  stopReason: null,
  usage: NONE,
  text: null,
  origin: null,
  passed: [],
};

/** The state of a call whose outcome is not recorded. */
function inferState({ question, decisions, activities }: CallCase): string | null {
  if (activities.some(({ type, outcome }) => type === 'runCall' && outcome === 'running')) return 'running';
  return question !== null && decisions.length === 0 ? 'waiting' : null;
}

/** The step's result names the admission block, or the block right after it. */
function admittedBy({ head, answer_head }: JsonObject, { ref }: BlockCase, own: BlockCase[]): boolean {
  return head === ref || answer_head === ref || own.some((block) => block.ref === head && block.parent === ref);
}

/** Steps in order, then the calls of a step, then revisions. */
function order({ step, id, revision }: CallCase): number {
  return step * 1e6 + Number(/\.(\d{1,4})$/.exec(id)?.[1] ?? 0) * 1e2 + Math.min(revision, 99);
}

export function roleOf({ read }: BlockCase): string | null {
  return read?.kind === 'message' ? read.role : null;
}

/** The texts of a message. */
function joinTexts(block: BlockCase | undefined): string | null {
  if (block === undefined) return null;
  const texts = messageContent(block.bodies).flatMap((part) =>
    isFilePart(part) ? fileNote(part) : (textOrNull(part.text) ?? []),
  );
  return texts.join('\n') || null;
}

function directCall({ tool, input_json }: JsonObject, calls: CallCase[]): string | null {
  const name = textOrNull(tool) ?? calls[0]?.tool;
  if (name === undefined) return null;
  return `${name} ${textOrNull(input_json) ?? calls[0]?.askedInput ?? ''}`.trim();
}

function usageOf(value: Json | undefined): Usage | null {
  const usage = objectOrNull(value);
  return (
    usage && {
      inputTokens: number(usage.input_tokens),
      outputTokens: number(usage.output_tokens),
      cacheReadTokens: number(usage.cache_read_tokens),
      cacheCreationTokens: number(usage.cache_creation_tokens),
      costUsd: number(usage.cost_usd),
      unpricedTokens: number(usage.unpriced_tokens),
    }
  );
}

function sum(all: Usage[]): Usage {
  const total = { ...NONE };
  for (const usage of all) for (const key of Object.keys(NONE) as (keyof Usage)[]) total[key] += usage[key];
  return total;
}
