/** A turn written by hand, its events first and its blocks then: for tests of the rules that look at both. */
import { Attestations } from '../../../src/audit/verify/attestations';
import { Blocks, type Around } from '../../../src/audit/verify/blocks';
import { History } from '../../../src/audit/verify/history';
import { RecordedRules } from '../../../src/audit/verify/recorded-rules';
import type { TurnBody } from '../../../src/audit/format/lines';
import { hashJson } from '../../../src/shared/digests';
import type { Json, JsonObject } from '../../../src/shared/json';
import type { BlockKind } from '../../../src/shared/transcript';
import { TRUST } from '../bundle-keys';
import { at, callOf, carrying, GONE, HandRun, HASH, idOf, Reports, TURN, TURN_CONTEXT, type Fields } from './hand-events';

export const MESSAGE = 'Pay INV-7.';
export const ARGUMENT = { turn_id: 't', requester: 'rita', agent: 'clerk', message: MESSAGE };
/** The body of the start of this turn's transcript. */
export const START: JsonObject = {
  ...{ turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', requester: 'rita', agent: { name: 'clerk' } },
  message_hash: hashJson(MESSAGE),
};

export interface Given {
  turn?: Partial<TurnBody>;
  /** `GONE`: it was left out. */
  argument?: unknown;
  around?: Partial<Around>;
  run_id?: string;
}

export class HandTurn {
  readonly reports = new Reports();
  readonly history: History;
  readonly blocks: Blocks;
  readonly run: HandRun;
  readonly rules = new RecordedRules();
  readonly there = new Set<string>();
  private count = 0;
  private last: string | null = null;

  constructor({ turn = {}, argument = ARGUMENT, around = {}, run_id = 'r' }: Given = {}) {
    const body = { ...TURN, ...turn };
    this.history = new History(body, 'n', new Attestations(TRUST));
    const known = { definitions: new Map(), children: new Map(), blocks: this.there, rules: this.rules, hasSessions: true };
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

  /** Nothing more of what came before is told. */
  forget(): this {
    this.reports.taken();
    return this;
  }

  /** What was found wrong since the last time. */
  faults(): string[] {
    return this.reports.taken();
  }

  /** @param body `GONE`: it was left out. @returns its ref */
  part(body: unknown, ref = `part ${(this.count += 1)}`): string {
    const left = body === GONE;
    this.blocks.part(ref, left ? null : { v: 'holdfast.part/1', salt: 's', body: body as Json }, this.reports.report);
    return ref;
  }

  /** @returns its ref, after which the next block stands */
  block(
    kind: BlockKind,
    parts: string[],
    { seconds = 5, parent = this.last }: { seconds?: number; parent?: string | null } = {},
  ): string {
    const ref = `block ${(this.count += 1)}`;
    const block = { v: 'holdfast.block/1' as const, parent, kind, at: at(seconds), parts };
    this.blocks.block({ ref, block }, this.reports.report);
    this.there.add(ref);
    return (this.last = ref);
  }

  /** A block of parts with these bodies. */
  write(kind: BlockKind, ...bodies: unknown[]): string {
    return this.block(
      kind,
      bodies.map((body) => this.part(body)),
    );
  }

  start(more: Fields = {}): string {
    return this.write('start', { ...START, ...more });
  }

  /** The turn has begun, and the model was shown its message. */
  begun(more: Fields = {}): this {
    this.start(more);
    this.write('message', { role: 'user' }, { type: 'text', text: MESSAGE });
    return this;
  }
}

/** People were asked about it until 100 s, have approved it at 4 s, and it was to run at 10 s. */
export const CALL = callOf();

export function approvalOf(by: string, more: Fields = {}): JsonObject {
  return { decision: 'approve', digest: CALL.digest, by, at: at(5), expires_at: at(100), ...more } as JsonObject;
}

/** Tells the history of the call, with these approvals. */
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

export const REFS = HASH;
