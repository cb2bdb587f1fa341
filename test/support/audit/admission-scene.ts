/** A turn for the comparison of facts that are recorded twice about open calls, and about calls that have not run. */
import { AdmissionComparison } from '../../../src/audit/verify/admission-comparison';
import { HASH, type Ending, type Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export const CALL = { id: '1.1', revision: 1, input_ref: 'i', input_hash: HASH.input, policy_ref: 'p', target_hash: 't' };
/** A call, as its step has it. */
export const ASKED = { id: '1.1', input_ref: 'i', policy_ref: 'p', target_hash: 't', digest: null };

export class Scene extends HandComparison<AdmissionComparison> {
  constructor(setting: Setting = {}) {
    super((all, history, _, turn) => new AdmissionComparison(all, turn, history, setting.definitions ?? new Map()), setting);
  }

  /** A step has asked for the call. */
  step(more: Fields = {}, policy: Fields = {}): this {
    return this.does('takeStep', {}, { policy, calls: [{ ...ASKED, ...more }] });
  }

  /** Admission has let people decide on it. */
  asks(said: Fields = {}, call: Fields = CALL): this {
    return this.does('admitCall', { call }, { ok: true, digest: 'd', card_ref: 'c', run_id: 'r', ...said });
  }

  /** Of a call without a result, as a step is told of it. */
  told(outcome: Fields): string[] {
    return this.gives('takeStep', { outcomes: [{ call_id: '1.1', result_ref: null, summary: null, ...outcome }] }).faults();
  }

  /** The same, as the turn's result has it. */
  shown(call: Fields, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [{ id: '1.1', result_ref: null, result_summary: null, ...call }] });
    return this.faults();
  }
}

/** Something of the turn is not known. */
export const unknown = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
