/** A turn of which only what rules T1 to T5 and T7 look at is told. */
import { Attestations } from '../../../src/audit/verify/attestations';
import { BundleFiles } from '../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../src/audit/verify/recorded-rules';
import { Turn } from '../../../src/audit/verify/turn';
import { idempotencyKey } from '../../../src/shared/json/digests';
import type { JsonObject, Json } from '../../../src/shared/json/json';
import type { BlockKind } from '../../../src/shared/turn/transcript';
import { at, GONE, HandRun, idOf, payloads, Reports, TURN, TURN_CONTEXT, type Fields } from './hand-events';
import { ARGUMENT } from './hand-lines';
import { CALL } from './hand-turn';

export const KEY = idempotencyKey({ workflow_id: 'turn/t', first_execution_run_id: 'r', call_id: '1.1', digest: CALL.digest });

/** A turn of which only what these rules look at is told; what other rules have to say of that is left out. */
export class Whole {
  readonly refs = { parts: new Set<string>(), objects: new Set<string>(), blocks: new Set<string>() };
  readonly turn: Turn;
  readonly run: HandRun;
  readonly rules = new RecordedRules();
  private readonly reports = new Reports();
  private head: string | null = null;

  constructor({ run_id = 'r', madeAt = 1000, started = {} }: { run_id?: string; madeAt?: number; started?: Fields } = {}) {
    const known = { definitions: new Map(), children: new Map(), blocks: this.refs.blocks, rules: this.rules };
    this.turn = new Turn(TURN, 'n', new Attestations([]), {
      ...known,
      files: new BundleFiles(),
      hasSessions: false,
      madeAt: Date.parse(at(madeAt)),
    });
    this.run = new HandRun((event) => this.turn.event(event, this.reports.report));
    this.begin(run_id, run_id === 'r' ? 'start' : 'continued', started);
  }

  begin(run_id: string, began: 'start' | 'continued' | 'reset', more: Fields = {}): void {
    this.turn.beginRun({ run_id, began });
    const before = { start: {}, continued: { continuedExecutionRunId: 'q' }, reset: { originalExecutionRunId: 'q' } }[began];
    this.run.begin({ input: payloads(ARGUMENT), ...before, ...more });
    this.run.tell('WORKFLOW_TASK_COMPLETED', {}, 5);
  }

  part(ref: string, body: unknown): string {
    this.turn.part(
      { ref, part: body === GONE ? null : { v: 'holdfast.part/1', salt: 's', body: body as Json } },
      this.reports.report,
    );
    this.refs.parts.add(ref);
    return ref;
  }

  block(ref: string, kind: BlockKind, ...parts: string[]): void {
    const block = { v: 'holdfast.block/1' as const, parent: this.head, kind, at: at(5), parts };
    this.turn.block({ ref, block }, this.reports.report);
    this.refs.blocks.add(ref);
    this.head = ref;
  }

  write(ref: string, kind: BlockKind, body: unknown): this {
    this.block(ref, kind, this.part(`part of ${ref}`, body));
    return this;
  }

  record(more: Fields = {}): string[] {
    const of = { v: 'holdfast.effect/1', turn_id: 't', run_id: 'r', digest: CALL.digest, idempotency_key: KEY, dispatch: 1 };
    const record = {
      ...of,
      state: 'applied',
      claimed_at: at(10),
      updated_at: at(11),
      result_head: null,
      result_ref: null,
      ...more,
    };
    this.turn.effect(record as unknown as JsonObject, this.reports.report);
    return this.faults();
  }

  end(head: string | null = null, complete = true): string[] {
    this.turn.end({ turn_id: 't', head, complete, why: complete ? null : 'It runs.' }, this.refs, this.reports.report);
    return this.faults();
  }

  faults(): string[] {
    return this.reports.taken().filter((said) => /^T[1-57]:/.test(said));
  }

  /** A call that was to run at 10 s; it has answered at 12 s. */
  ran(result: unknown, argument: Fields = {}): this {
    const id = this.run.scheduled('runCall', { turn: TURN_CONTEXT, call: CALL, ...argument }, { id: idOf(CALL), seconds: 10 });
    if (result !== undefined) this.run.completed(id, result, 12);
    this.faults();
    return this;
  }

  closed(): this {
    this.run.tell('WORKFLOW_EXECUTION_COMPLETED', {}, 20);
    return this;
  }
}
