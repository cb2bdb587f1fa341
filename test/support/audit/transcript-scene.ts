/** A turn for the comparison of facts that its transcript records twice. */
import { TranscriptComparison } from '../../../src/audit/verify/transcript-comparison';
import type { Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export class Scene extends HandComparison<TranscriptComparison> {
  constructor(setting: Setting = {}) {
    super((all, history, blocks) => new TranscriptComparison(all, history, blocks), setting);
  }

  /** The facts of a subject that the next lines record with another value than this, each in one. */
  others(subject: Parameters<Scene['all']['addFacts']>[0], name: string, facts: Fields, tell: (scene: Scene) => unknown): string {
    this.all.addFacts(subject, name, facts, 'the history');
    this.faults();
    tell(this);
    return this.faults()
      .map((fault) => /that (\w+) of/.exec(fault)?.[1] ?? fault)
      .join(' ');
  }
}

/** The facts among these that the lines record; each had another value before. */
export function says(
  subject: Parameters<Scene['all']['addFacts']>[0],
  name: string,
  facts: string[],
  tell: (scene: Scene) => unknown,
  before: Fields = {},
): string {
  return facts
    .filter((fact) =>
      new Scene()
        .others(subject, name, { ...before, [fact]: 'other' }, tell)
        .split(' ')
        .includes(fact),
    )
    .join(' ');
}
