/** Decisions, and the signals and updates that gave them, before who compares them. */
import { attestDecision } from '../../../src/attestation/bundle-signer';
import { DecisionChecks } from '../../../src/audit/verify/decision-checks';
import type { JsonObject } from '../../../src/shared/json/json';
import { GATEWAY_KEY } from '../bundle-keys';
import { at, GONE, HandRun, Reports, type Fields } from './hand-events';
import { HandTurn } from './hand-turn';

export const DIGEST = 'abcdef'.repeat(11).slice(0, 64);
export const OTHER = 'f'.repeat(64);
export const SAID = { call: DIGEST, by: 'ana' };
export const DECISION = { decision: 'approve', digest: DIGEST, by: 'ana', note: null, channel: 'signal', identity: 'web' };
export const token = (claims: object = {}) => {
  const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
  const about = { aud, digest: DIGEST, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
  return attestDecision(GATEWAY_KEY, { ...about, ...claims }, null, Date.parse(at(0)));
};

export class Scene {
  readonly turn: HandTurn;
  readonly asSaid: DecisionChecks;
  readonly run: HandRun;
  private readonly reports = new Reports();

  constructor(run_id = 'r') {
    this.turn = new HandTurn({ run_id });
    this.asSaid = new DecisionChecks(this.turn.history, this.turn.blocks);
    this.run = new HandRun((event) => this.asSaid.event(event, this.reports.report));
    this.begin(run_id);
  }

  begin(run_id: string, began: 'start' | 'continued' | 'reset' = 'start', more: Fields = {}): this {
    this.asSaid.beginRun({ run_id, began });
    this.run.begin(more);
    return this;
  }

  approve(more: Fields = {}, options = {}): this {
    this.run.signal('approve', { ...SAID, ...more }, options);
    return this;
  }

  /** People were asked about the call. */
  ask(result: Fields = {}, call: Fields = {}): this {
    this.run.activity('admitCall', { call: { id: '1.1', ...call } }, { ok: true, digest: DIGEST, run_id: 'r', ...result });
    return this;
  }

  /** A worker has found a signed decision good. */
  check(attestation: string, more: Fields = {}, result: Fields = {}): this {
    const value = { decision: 'approve', digest: DIGEST, attestation, ...more };
    this.run.activity('checkDecision', value, { ok: true, principal: 'ana', ...result });
    return this;
  }

  /** A call that was to run with these approvals. */
  given(decision: Fields = {}, call: Fields = {}, more: Fields = {}): string[] {
    const approvals = [{ ...DECISION, ...decision }];
    this.run.scheduled('runCall', { call: { id: '1.1', digest: DIGEST, ...call }, approvals, ...more });
    return this.faults();
  }

  faults(): string[] {
    return this.reports.taken();
  }

  /** @returns its ref */
  part(body: unknown): string {
    const ref = this.turn.part(body);
    this.asSaid.part({ ref, part: body === GONE ? null : { v: 'holdfast.part/1', salt: 's', body: body as JsonObject } });
    return ref;
  }

  block(kind: 'decision' | 'dispatch', ...bodies: unknown[]): string[] {
    const parts = bodies.map((body) => this.part(body));
    const ref = this.turn.block(kind, parts);
    this.asSaid.block({ ref, block: { v: 'holdfast.block/1', parent: null, kind, at: at(5), parts } }, this.reports.report);
    return this.faults();
  }
}

export const OTHER_WORDS = (who = 'ana') =>
  `H9: A decision of "${who}" stands in other words than the signal or update that gave it`;
