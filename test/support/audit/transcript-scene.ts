/** A turn before who looks at what stands twice in its transcript. */
import { TranscriptComparison } from '../../../src/audit/verify/transcript-comparison';
import type { Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export class Scene extends HandComparison<TranscriptComparison> {
  constructor(setting: Setting = {}) {
    super((all, history, blocks) => new TranscriptComparison(all, history, blocks), setting);
  }

  /** The facts of a subject that the next have said in another way than this, each in one. */
  others(subject: Parameters<Scene['all']['addFacts']>[0], name: string, facts: Fields, tell: (scene: Scene) => unknown): string {
    this.all.addFacts(subject, name, facts, 'the history');
    this.faults();
    tell(this);
    return this.faults()
      .map((fault) => /that (\w+) of/.exec(fault)?.[1] ?? fault)
      .join(' ');
  }
}

/** Which of these facts the lines say, each told otherwise before. */
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
