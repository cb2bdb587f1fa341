/** Verifies one turn of a bundle: its history, blocks, effect records and end (rules T1 to T5, and T7). */
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import type { JsonObject } from '../../shared/json/json';
import type { BlockBody, BundleBody, PartBody, RunBody, SessionBody, TurnBody, TurnEndBody } from '../format/lines';
import { text } from '../../record/fields';
import type { Attestations } from './attestations';
import { DecisionChecks } from './decision-checks';
import { Blocks, type BundleContext } from './blocks';
import { quote } from './fault';
import { History, type Report } from './history';
import { SessionChecks } from './session';
import { RepeatedFactChecks } from './repeated-facts';
import { timeOf, UNKNOWN } from './values';

/** Refs of the lines so far. */
export interface Refs {
  parts: ReadonlySet<string>;
  objects: ReadonlySet<string>;
  blocks: ReadonlySet<string>;
}

export class Turn {
  readonly history: History;
  readonly blocks: Blocks;
  private readonly repeatedFacts: RepeatedFactChecks;
  private readonly sessionChecks: SessionChecks;
  private readonly decisionChecks: DecisionChecks;
  private readonly records = {
    heads: new Set<string>(),
    applied: new Set<string>(),
    appliedHeads: new Set<string>(),
    appliedKeys: new Set<string>(),
    claimed: false,
  };

  constructor(
    readonly body: TurnBody,
    namespace: string,
    attestations: Attestations,
    private readonly context: BundleContext,
  ) {
    this.history = new History(body, namespace, attestations);
    this.blocks = new Blocks(body, this.history, context);
    this.repeatedFacts = new RepeatedFactChecks(body, this.history, this.blocks, context);
    this.sessionChecks = new SessionChecks(body, this.history);
    this.decisionChecks = new DecisionChecks(this.history, this.blocks);
  }

  beginRun(body: RunBody): void {
    this.history.beginRun(body);
    this.decisionChecks.beginRun(body);
    this.repeatedFacts.beginRun(body);
  }

  event(event: JsonObject, report: Report): void {
    this.history.event(event, report);
    this.decisionChecks.event(event, report);
    this.repeatedFacts.event(event, report);
  }

  /** H8, D1, D6 */
  session(body: SessionBody, report: Report): void {
    this.sessionChecks.event(body, report);
    this.repeatedFacts.session(body.event, report);
  }

  part(body: PartBody, report: Report): void {
    this.blocks.part(body.ref, body.part, report);
    this.decisionChecks.part(body);
    this.repeatedFacts.part(body, report);
  }

  block(body: BlockBody, report: Report): void {
    this.blocks.block(body, report);
    this.decisionChecks.block(body, report);
    this.repeatedFacts.block(body, report);
  }

  /** T2, T9, D6, D7 */
  effect(record: JsonObject, report: Report): void {
    this.record(record, report);
    this.decisionChecks.effect(record, report);
    this.repeatedFacts.effect(record, report);
  }

  /** T2 */
  private record(record: JsonObject, report: Report): void {
    const { v, digest, state, result_head, result_ref, turn_id, run_id, idempotency_key, claimed_at, updated_at } = record;
    const { history, blocks } = this;
    blocks.refer(record);
    this.records.heads.add(text(result_head));
    if (state === 'claimed' || state === 'pending') this.records.claimed = true;
    if (state === 'applied') this.records.applied.add(text(digest));
    if (state === 'applied') this.records.appliedHeads.add(text(result_head));
    if (state === 'applied') this.records.appliedKeys.add(text(idempotency_key));
    if (turn_id !== this.body.turn_id) report('T2', 'The effect record is of another turn');
    if (v !== 'holdfast.effect/1') report('T2', `The effect record is of a form that nobody knows: ${quote(v)}`);
    if (!(timeOf(updated_at) >= timeOf(claimed_at))) report('T2', 'The effect record was changed before it was made');
    this.inTime(record, report);
    if (!history.whole) return;
    if (!history.runs.includes(text(run_id))) report('T2', 'The effect was claimed by a run that the turn does not have');
    const calls = history.callsOf(digest);
    if (calls.length > 0) {
      if (!calls.some((call) => history.keyOf(call) === idempotency_key))
        report('T2', 'The effect record has another idempotency key than its call');
      if (!(timeOf(claimed_at) >= calls.reduce((first, { at }) => Math.min(first, at), Infinity) - CLOCKS_MS))
        report('T2', 'The effect was claimed before its call was scheduled: a clock was wrong, or the record was changed');
    } else if (!history.unknown.calls) report('T2', 'The effect record is of a call that the history does not know');
    const outcome = blocks.stateIn(result_head);
    if (outcome !== undefined && outcome !== 'unknown' && (outcome.state !== state || outcome.result_ref !== result_ref))
      report(
        'T2',
        `The effect record says ${quote(state)}, and the transcript says ${quote(outcome.state)}, or has another result`,
      );
  }

  /** T2. The maker of a bundle reads effect records first. The end of a run is no limit: a running attempt may claim after it. */
  private inTime({ result_head, claimed_at, updated_at }: JsonObject, report: Report): void {
    const outcomeAt = this.history.whole ? this.history.outcomeTime(text(result_head)) : undefined;
    const until = (outcomeAt ?? Math.max(this.history.latest, this.context.madeAt)) + CLOCKS_MS;
    if (timeOf(claimed_at) <= until && timeOf(updated_at) <= until) return;
    const what = outcomeAt === undefined ? 'the bundle was made' : 'history had its outcome';
    report('T2', `The effect was claimed, or its record changed, after ${what}: a time was changed`);
  }

  /** D1, for the first turn of a bundle. */
  first(bundle: BundleBody, report: Report): void {
    this.repeatedFacts.first(bundle, this.body, report);
  }

  /** B14, T1, T3 to T5, T7, T8, D7, D8 */
  end({ head, complete }: TurnEndBody, refs: Refs, report: Report): void {
    const { history } = this;
    if (history.runs.length > 0 && history.lastHead !== UNKNOWN && history.lastHead !== head)
      report('T1', 'The transcript does not end where the history says that it ends');
    const fileFault = this.blocks.files.fault();
    if (fileFault !== null) report('B14', fileFault);
    if (!complete) return this.repeatedFacts.checkNamedParts(refs, report);
    const missingHead = [...history.inputHeads].find((inputHead) => !refs.blocks.has(inputHead));
    if (missingHead !== undefined)
      report('T1', `The history went on from a block that is not in the transcript (${missingHead.slice(0, 64)})`);
    this.checkEffects(report);
    this.nothingMissing(refs, report);
    if (!history.whole || !history.isClosed)
      report('T5', 'The turn is said to be complete, and its history has no beginning or no end');
    this.toTheEnd(head, report);
    if (this.context.hasSessions) this.sessionChecks.end(report);
    this.repeatedFacts.end(refs, report);
  }

  /** T3 */
  private checkEffects(report: Report): void {
    const { history, blocks, records } = this;
    if (blocks.unknown.starts) return; // it is unknown which blocks are the turn's own
    const appliedOutcomes = history.outcomes.filter(({ effect }) => effect === 'applied');
    for (const { digest, head } of appliedOutcomes) {
      const outcome = blocks.stateIn(head);
      if (outcome !== 'unknown' && outcome?.state !== 'applied')
        report('T3', 'The history says that a call took effect, and the transcript does not have it');
      // After a reset the same call may have another digest: its outcome is under the key of its dispatch.
      const isTakenOver = history.wasReset && (outcome === 'unknown' || records.appliedKeys.has(text(outcome?.key)));
      const isRecorded = records.applied.has(text(digest)) || records.appliedHeads.has(text(head)) || isTakenOver;
      if (digest !== undefined && !isRecorded)
        report('T3', 'The history says that a call took effect, and there is no effect record of it');
    }
    if (history.wasReset || history.unknown.outcomes) return;
    const digests = new Set(appliedOutcomes.map(({ digest }) => text(digest)));
    if (!history.unknown.digests && ![...records.applied].every((digest) => digests.has(digest)))
      report('T3', 'There is the record of an effect that the history does not know');
    if (records.claimed || blocks.hasOpenDispatch()) report('T3', 'A call was dispatched, and nothing says what became of it');
    const heads = new Set([...history.outcomes.map(({ head }) => text(head)), ...records.heads]);
    for (const [ref, { kind }] of blocks.own)
      if ((kind === 'effect' || kind === 'settlement') && !heads.has(ref))
        report('T3', 'The transcript says what became of a call, and neither history nor effect record say so');
  }

  /** T7: nothing is cut off. The transcript has each block that an activity wrote, with the kind that it wrote. */
  private toTheEnd(head: string | null, report: Report): void {
    const { history, blocks } = this;
    if (blocks.unknown.starts || !history.whole) return;
    if (head !== null && blocks.findBlock(head)?.kind !== 'end')
      report('T7', 'The turn has ended, and its transcript has no end');
    const isThere = ({ ref, kinds, admits }: (typeof history.namedBlocks)[number]) => {
      const own = blocks.findBlock(ref);
      return own !== undefined && kinds.includes(own.kind) && own.admits === admits;
    };
    const missingBlock = history.namedBlocks.find((one) => !isThere(one));
    if (missingBlock)
      report(
        'T7',
        `The history says that a block of kind ${missingBlock.kinds[0]} was written, and the transcript has another, or none`,
      );
    const steps = history.namedBlocks.filter(({ admits }) => admits !== null).map(({ ref }) => ref);
    if (!history.wasReset && new Set(steps).size < steps.length)
      report('T7', 'Two steps of the history are said to have written the same block');
  }

  /** T4 */
  private nothingMissing({ objects }: Refs, report: Report): void {
    const { refs } = this.blocks;
    const inner = [...refs.objects].map((ref) => this.context.rules.within(ref)).filter((ref) => ref !== null);
    const missingRef =
      [...refs.parts].find((ref) => !this.blocks.hasPart(ref)) ??
      [...refs.objects, ...inner, ...this.history.objects].find((ref) => !objects.has(ref)) ??
      [...this.history.inputs.keys()].find((ref) => !this.blocks.hasPart(ref));
    if (missingRef !== undefined) report('T4', `Something that the transcript refers to is missing (${missingRef.slice(0, 64)})`);
  }
}
