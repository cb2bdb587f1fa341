/** Modes that bind the turns below, as a turn was given them and passes them on. */
import type { OuterMode } from '../../shared/sub-turn';
import type { Mode } from '../../rules';
import { object } from '../case-file/loose';
import type { TurnCase } from '../case-file/types';
import { outerModes } from '../recorded-rules';

/** Modes of turns above that bound this one. */
export function recordedWithin({ transcript }: TurnCase): OuterMode[] {
  const start = transcript.find(({ own, kind }) => own && kind === 'start');
  return outerModes(object(object(start?.bodies[0]).parent).within);
}

/** Modes that bind sub-agents too. */
export function outer(mode: Mode): OuterMode[] {
  return mode === 'plan' || mode === 'locked' ? [mode] : [];
}
