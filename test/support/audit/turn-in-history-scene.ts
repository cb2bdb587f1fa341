/** A turn for the comparison of facts that its history records twice about it. */
import { TurnInHistory } from '../../../src/audit/verify/turn-in-history';
import { payloads, type Ending, type Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export class Scene extends HandComparison<TurnInHistory> {
  constructor(setting: Setting = {}) {
    const children = setting.children ?? new Map<string, string | null>();
    super((all, history, _, turn) => new TurnInHistory(all, history, turn, children), { ...setting, children });
  }

  step(result: Fields = {}, argument: Fields = {}): this {
    this.run.activity('takeStep', argument, result);
    return this;
  }

  end(as: Ending, view: unknown, failure: Fields = {}): string[] {
    this.run.ends(as, view, failure);
    return this.faults();
  }

  view(more: Fields = {}): string[] {
    return this.end('COMPLETED', { calls: [], state: 'completed', ...more });
  }

  next(more: Fields = {}, before = 'r'): string[] {
    this.begin('s', { input: payloads({ turn_id: 't' }), continuedExecutionRunId: before, ...more }, 'continued');
    return this.faults();
  }

  /** Whether another source has recorded another value of this fact of the turn. */
  otherwise(facts: Fields, name = ''): string {
    this.faults();
    this.all.addFacts(name === '' ? 'turn' : 'run', name, facts, 'the transcript');
    return this.faults()
      .map((fault) => /that (\w+) of/.exec(fault)![1])
      .join(' ');
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
