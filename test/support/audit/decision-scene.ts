/** A turn for the comparison of facts about decisions that are recorded twice. */
import { DecisionComparison } from '../../../src/audit/verify/decision-comparison';
import { hashJson, inputDigest } from '../../../src/shared/json/digests';
import type { JsonObject } from '../../../src/shared/json/json';
import type { Ending, Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export const INPUT = { cents: 7 };
export const CALL = {
  ...{
    id: '1.1',
    tool: 'pay',
    version: '1',
    input: INPUT,
    input_ref: 'p',
    input_hash: hashJson(INPUT),
    verdict: 'ask',
    reason: 'R',
  },
  input_digest: inputDigest({ tool: 'pay', version: '1', input: INPUT }),
};

export class Scene extends HandComparison<DecisionComparison> {
  constructor(setting: Setting = {}) {
    const definitions = setting.definitions ?? new Map<string, JsonObject>();
    super((all, history, blocks) => new DecisionComparison(all, history, blocks, definitions), { ...setting, definitions });
  }

  /** A step admitted the call. */
  asked(more: Fields = {}): this {
    this.run.activity('takeStep', {}, { calls: [{ ...CALL, ...more }] });
    return this;
  }

  /** Admission was asked about it. */
  asks(more: Fields = {}, result: unknown = {}): string[] {
    this.run.activity('admitCall', { call: CALL, reason: 'R', ...more }, result);
    return this.faults();
  }

  given(name: string, argument: unknown): string[] {
    return this.gives(name, argument).faults();
  }

  writes(body: unknown, ref = 'p'): string[] {
    this.part(body, ref);
    return this.faults();
  }

  view(call: Fields, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [{ id: '1.1', ...call }] });
    return this.faults();
  }

  /** The facts of which another source has recorded other values. */
  otherwise(subject: Parameters<Scene['all']['addFacts']>[0], name: string, facts: Fields): string {
    this.faults();
    this.all.addFacts(subject, name, facts, 'somebody');
    return this.faults().map((fault) => /that (\w+) of/.exec(fault)![1]).join(' '); // oxfmt-ignore
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
