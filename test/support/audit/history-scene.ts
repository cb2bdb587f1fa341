/** A turn for the comparison of facts that its history records twice. */
import { HistoryComparison } from '../../../src/audit/verify/history-comparison';
import type { Ending, Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export type Subject = Parameters<HandComparison<HistoryComparison>['all']['addFacts']>[0];

export class Scene extends HandComparison<HistoryComparison> {
  constructor(setting: Setting = {}) {
    super((all, history, _, turn) => new HistoryComparison(all, turn, history), { argument: { turn_id: 't' }, ...setting });
  }

  view(more: Fields = {}, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [], ...more });
    return this.faults();
  }

  /** The facts among these that have been recorded: another value of them is a contradiction. */
  knows(subject: Subject, name: string, ...facts: string[]): string {
    return facts.filter((fact) => this.all.facts.knows(subject, name, fact)).join(' ');
  }

  /** Whether another value of the fact has been recorded. */
  not(subject: Subject, name: string, facts: Fields): boolean {
    this.faults();
    this.all.addFacts(subject, name, facts, 'somebody');
    return this.faults().length > 0;
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
