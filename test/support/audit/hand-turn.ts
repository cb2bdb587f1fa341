/** A turn written by hand, its events first and its blocks then: for tests of the rules that look at both. */
import { Attestations } from '../../../src/audit/verify/attestations';
import { Blocks, type BundleContext } from '../../../src/audit/verify/blocks';
import { History } from '../../../src/audit/verify/history';
import { BundleFiles } from '../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../src/audit/verify/recorded-rules';
import type { BlockBody, PartBody, TurnBody } from '../../../src/audit/format/lines';
import type { JsonObject } from '../../../src/shared/json/json';
import { TRUST } from '../bundle-keys';
import { at, callOf, carrying, HandRun, idOf, Reports, TURN, TURN_CONTEXT, type Fields } from './hand-events';
import { ARGUMENT, HandLines, MESSAGE } from './hand-lines';

export interface Given {
  turn?: Partial<TurnBody>;
  /** `GONE`: it was left out. */
  argument?: unknown;
  around?: Partial<BundleContext>;
  run_id?: string;
}

export class HandTurn extends HandLines {
  readonly reports = new Reports();
  readonly history: History;
  readonly blocks: Blocks;
  readonly run: HandRun;
  readonly rules = new RecordedRules();
  readonly there = new Set<string>();

  constructor({ turn = {}, argument = ARGUMENT, around = {}, run_id = 'r' }: Given = {}) {
    super();
    const body = { ...TURN, ...turn };
    this.history = new History(body, 'n', new Attestations(TRUST));
    const known = {
      definitions: new Map(),
      children: new Map(),
      blocks: this.there,
      rules: this.rules,
      files: new BundleFiles(),
      hasSessions: true,
    };
    this.blocks = new Blocks(body, this.history, { ...known, madeAt: Date.parse(at(1000)), ...around });
    this.run = new HandRun((event) => this.history.event(event, this.reports.report));
    this.begin({ input: carrying(argument) }, run_id, run_id === 'r' ? 'start' : 'continued');
  }

  begin(attributes: Fields, run_id = 'r', began: 'start' | 'continued' | 'reset' = 'start'): void {
    this.history.beginRun({ run_id, began });
    const before = { start: {}, continued: { continuedExecutionRunId: 'q' }, reset: { originalExecutionRunId: 'q' } }[began];
    this.run.begin({ ...before, ...attributes });
    this.run.tell('WORKFLOW_TASK_COMPLETED', {}, 5); // until then blocks may have been written
  }

  /** Drops the reports so far. */
  forget(): this {
    this.reports.taken();
    return this;
  }

  /** The reports since the last call. */
  faults(): string[] {
    return this.reports.taken();
  }

  protected takePart({ ref, part }: PartBody): void {
    this.blocks.part(ref, part, this.reports.report);
  }

  protected takeBlock(block: BlockBody): void {
    this.blocks.block(block, this.reports.report);
    this.there.add(block.ref);
  }

  /** The turn begins, and the model is shown its message. */
  begun(more: Fields = {}): this {
    this.start(more);
    this.write('message', { role: 'user' }, { type: 'text', text: MESSAGE });
    return this;
  }
}

/** People were asked about it until 100 s and approved it at 4 s; it was scheduled at 10 s. */
export const CALL = callOf();

export function approvalOf(by: string, more: Fields = {}): JsonObject {
  return { decision: 'approve', digest: CALL.digest, by, at: at(5), expires_at: at(100), ...more } as JsonObject;
}

/** Adds the call to the history, with these approvals. */
export function ranWith(
  turn: HandTurn,
  approvals: JsonObject[],
  more: Fields = {},
  call: JsonObject & { digest: string } = CALL,
): string {
  turn.run.activity('admitCall', { call, expires_at: at(100) }, { ok: true });
  for (const { by } of approvals) turn.run.signal('approve', { call: call.digest, by }, { seconds: 4 });
  const argument = { turn: TURN_CONTEXT, call, approvals, verdict: 'ask', ...more };
  return turn.run.scheduled('runCall', argument, { id: idOf(call), seconds: 10 });
}
