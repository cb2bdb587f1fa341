/** A turn before who looks at what stands twice in its history. */
import { TwiceInHistory } from '../../../src/audit/verify/twice-in-history';
import type { Ending, Fields } from './hand-events';
import { HandTwice, type Setting } from './hand-twice';

export type Subject = Parameters<HandTwice<TwiceInHistory>['all']['tell']>[0];

export class Scene extends HandTwice<TwiceInHistory> {
  constructor(setting: Setting = {}) {
    super((all, history, _, turn) => new TwiceInHistory(all, turn, history), { argument: { turn_id: 't' }, ...setting });
  }

  view(more: Fields = {}, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [], ...more });
    return this.faults();
  }

  /** Which of these facts have been said, so that another value is found. */
  knows(subject: Subject, name: string, ...facts: string[]): string {
    return facts.filter((fact) => this.all.facts.knows(subject, name, fact)).join(' ');
  }

  /** Whether the fact was said otherwise than this. */
  not(subject: Subject, name: string, facts: Fields): boolean {
    this.faults();
    this.all.tell(subject, name, facts, 'somebody');
    return this.faults().length > 0;
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
