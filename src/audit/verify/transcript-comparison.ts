/** Compares what the transcript and the effect records repeat of other sources (rules D1 to D8). */
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { object, text } from '../../record/fields';
import type { BlockBody, PartBody } from '../format/lines';
import type { Blocks } from './blocks';
import * as of from './fact-tables';
import type { History } from './history';
import { RECORD, TRANSCRIPT, type SourceComparison } from './source-comparison';
import { dispatchName } from './history-comparison';
import { attempt, hashOf } from './values';

/** Bytes. The answer with a longer envelope has addresses instead of its data. */
const LARGEST_ANSWER = 128 * 1024;

interface Present {
  parts: ReadonlySet<string>;
  blocks: ReadonlySet<string>;
}

export class TranscriptComparison {
  /** Bodies of the engine's own blocks, by the refs of their parts. */
  private readonly bodies = new Map<string, JsonObject>();
  /** An own admission was found. */
  private hasAdmission = false;
  /** A part was left out. */
  private hasOmission = false;

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly blocks: Blocks,
  ) {}

  /** D2, D3, D6: compares the content of the part. */
  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    this.hasOmission ||= part === null;
    if (part !== null && this.all.facts.knows('card', ref, 'digest')) this.isCard(body);
    if (part !== null && this.all.facts.knows('result', ref, 'state') && !isJsonObject(object(body).envelope))
      this.all.report('D6', 'A part that is named as the result of a call is no result');
    if (!isJsonObject(body)) return;
    const { facts } = this.all;
    const { subject, call_id, tool, version, input, envelope, undecided } = body;
    if (isJsonObject(subject) || typeof body.first_execution_run_id === 'string' || typeof body.state === 'string')
      this.bodies.set(ref, body);
    this.all.toolResults.part(ref, body);
    if (facts.knows('asked', ref, 'call_id')) {
      const { tool_use_id, verdict, reason, error } = body;
      const { agent, requester, untrusted } = object(object(body.facts).turn);
      const admission = { call_id, tool, version, class: body.class, verdict, reason, error, undecided };
      this.all.addFacts(
        'asked',
        ref,
        { ...admission, tool_use_id: text(tool_use_id).slice(0, 200), input_hash: hashOf(input) },
        TRANSCRIPT,
      );
      this.all.addFacts('turn', '', { agent, requester }, TRANSCRIPT);
      if (facts.knows('asked', ref, 'untrusted')) this.all.addFacts('asked', ref, { untrusted }, TRANSCRIPT);
    }
    // The target, as it was admitted and as people were shown it.
    const target_hash = isJsonObject(body.target) ? hashOf(body.target) : null;
    for (const subject of ['asked', 'card'] as const)
      if (facts.knows(subject, ref, 'target_hash')) this.all.addFacts(subject, ref, { target_hash }, TRANSCRIPT);
    if (facts.knows('card', ref, 'makers')) this.all.addFacts('card', ref, { makers: body.makers ?? [] }, TRANSCRIPT);
    if (facts.knows('card', ref, 'digest'))
      this.all.addFacts('card', ref, { digest: body.digest, text: body.card, call_id }, TRANSCRIPT);
    if (facts.knows('result', ref, 'state')) {
      this.all.toolResults.result(ref, body);
      const { success, error } = object(envelope);
      const { tool_name, tool_version, trace_id } = object(object(envelope).metadata);
      const of_tool = { tool: tool_name, version: tool_version };
      const failure = success === false ? { error } : {};
      if (facts.knows('result', ref, 'answer') && canonicalBytes(envelope) <= LARGEST_ANSWER)
        this.all.addFacts('result', ref, { answer: hashOf(envelope) }, TRANSCRIPT);
      if (facts.knows('result', ref, 'answered'))
        this.all.addFacts('result', ref, { answered: hashOf(object(envelope).data) }, TRANSCRIPT);
      this.all.addFacts('result', ref, { summary: body.summary, call_id, success, ...of_tool, ...failure }, TRANSCRIPT);
      this.all.addFacts('turn', '', { turn_id: body.turn_id, session_id: body.session_id, trace_id }, TRANSCRIPT);
    }
  }

  /** D3: the card that people were shown has a digest and a text. */
  private isCard(body: Json): void {
    const { digest, card } = object(body);
    if (typeof digest !== 'string' || typeof card !== 'string')
      this.all.report('D3', 'What people are said to have been asked with is no card');
  }

  block({ ref, block }: BlockBody): void {
    // Before its first own answer, a turn closes calls that an earlier turn left open.
    if (block.kind === 'admission') this.hasAdmission ||= this.blocks.own.has(ref);
    if (block.kind === 'message' && this.hasAdmission && this.blocks.own.has(ref)) this.all.toolResults.message(block.parts);
    if (!this.blocks.own.has(ref)) return;
    // The salt of a part belongs to one turn, so no other turn has the same part.
    if (!block.parts.every((part) => this.blocks.hasPart(part)))
      this.all.report('D7', 'A block of the turn has a part that stands in the lines of another turn');
    const body = this.bodies.get(block.parts[0] ?? '');
    if (body === undefined) return;
    const { digest, call_id, idempotency_key, result_ref, card_ref, dispatch } = body;
    if (block.kind === 'start') {
      this.all.addRecord(of.TURN_CONTEXT, { ...body, agent: object(body.agent).name! }, { turn: '' }, TRANSCRIPT);
      this.all.addFacts('turn', '', { attestation: body.attestation }, TRANSCRIPT);
      return;
    }
    if (block.kind === 'admission') {
      this.all.addRecord(of.TAKE_STEP_OUTPUT, body, { step: ref }, TRANSCRIPT);
      this.all.addRecord(of.STEP_USAGE, object(body.usage), { step: ref }, TRANSCRIPT);
    }
    if (block.kind === 'end')
      this.all.addFacts('block', ref, { state: body.state, reason: body.reason, result_of: body.result_of ?? null }, TRANSCRIPT);
    this.all.addRecord(of.BLOCK_SUBJECT, object(body.subject), { turn: '', call: digest }, TRANSCRIPT);
    if (block.kind === 'decision') this.checkDecision(body);
    if (block.kind === 'decision') this.all.addFacts('card', card_ref, { digest }, TRANSCRIPT);
    if (block.kind === 'dispatch') {
      this.all.addRecord(of.DISPATCH_BODY, body, { call: digest, block: ref, dispatch: dispatchName(body) }, TRANSCRIPT);
      this.all.addFacts('block', ref, { digest, tool: body.tool, key: idempotency_key, dispatch }, TRANSCRIPT);
    }
    if (block.kind === 'effect' || block.kind === 'settlement') {
      const effect = block.kind === 'effect' ? body.effect : (body.recorded ?? body.outcome);
      this.all.addFacts('call', digest, { call_id }, TRANSCRIPT);
      this.all.addFacts('effect', ref, { effect, result_ref, digest }, TRANSCRIPT);
      const { by, note, identity } = body;
      if (this.all.facts.knows('effect', ref, 'by')) this.all.addFacts('effect', ref, { by, note, identity }, TRANSCRIPT);
      this.all.addFacts('result', result_ref, { effect }, TRANSCRIPT);
    }
  }

  effect(record: JsonObject): void {
    const { digest, dispatch, tool, head, result_head, idempotency_key: key, state } = record;
    this.all.addRecord(of.EFFECT_RECORD, record, { turn: '', call: digest, block: head, effect: result_head }, RECORD);
    if (this.all.facts.knows('block', head, 'digest')) this.all.addFacts('block', head, { digest, tool, key, dispatch }, RECORD);
    if (!this.history.wasReset) this.all.addFacts('effect', result_head, { digest }, RECORD);
    for (const block of [head, result_head]) this.all.names(block);
    if (!(state === 'applied' || state === 'in_doubt') || !this.history.whole || this.hasOmission) return;
    if (this.blocks.stateIn(result_head) === undefined)
      this.all.report('D7', 'The effect record says what became of a call, and names no block of the transcript that says so');
    if (!this.all.facts.knows('block', head, 'key'))
      this.all.report('D7', 'The effect record names no block of the transcript in which its call was dispatched');
  }

  /** T7, D7, D8 */
  end({ parts, blocks }: Present): void {
    const missingRef = [...this.all.heads].find((ref) => !blocks.has(ref));
    if (
      !this.hasOmission &&
      this.history.whole &&
      [...this.all.hashesInHistory].some((decision) => !this.all.hashesInTranscript.has(decision))
    )
      this.all.report(
        'T7',
        'The history has a message, an answer or a decision that was written down, and the transcript does not have it',
      );
    if (!this.hasOmission && this.all.whole && !this.all.toolResults.agrees())
      this.all.report('D8', 'The transcript tells the model something else of a call than became of it');
    if (missingRef !== undefined) this.lacks(missingRef);
    else this.checkNamedParts(parts);
  }

  /** D7: each part that the history names has a line in the turn, even if the store lacked it. A step's block is the turn's own. */
  checkNamedParts(parts: Present['parts']): void {
    const missingRef = [...this.all.namedRefs].find((ref) => !this.blocks.hasPart(ref));
    if (missingRef !== undefined && !parts.has(missingRef)) this.lacks(missingRef);
    else if (missingRef !== undefined)
      this.all.report('D7', `The history names something that stands in the lines of another turn (${missingRef.slice(0, 64)})`);
    if (this.blocks.hasStrayStep()) this.all.report('D7', 'A step has written a block that is not of the transcript of its turn');
  }

  private lacks(ref: string): void {
    this.all.report('D7', `The history names something that is not in the bundle (${ref.slice(0, 64)})`);
  }

  /** D5 */
  private checkDecision(body: JsonObject): void {
    const { subject: _, ...decision } = body;
    this.all.hashesInTranscript.add(hashOf(decision));
    if (this.all.whole && !this.all.hasDecision(decision))
      this.all.report('D5', 'The transcript has a decision that says something else than the history');
  }
}

function canonicalBytes(value: Json | undefined): number {
  return Buffer.byteLength(attempt(() => canonical(value ?? null)) ?? '');
}
