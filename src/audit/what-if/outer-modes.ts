/** Reads the modes of turns above that bind a turn, and the modes that it passes on to turns below. */
import type { OuterMode } from '../../shared/turn/sub-turn';
import type { Mode } from '../../rules';
import { readOf } from '../case-file/turn';
import type { TurnCase } from '../case-file/types';

/** Modes of turns above that bound this one. */
export function recordedOuterModes({ transcript }: TurnCase): OuterMode[] {
  const [start] = readOf(
    'start',
    transcript.filter(({ own }) => own),
  );
  return start?.parent?.within ?? [];
}

/** The mode, if it binds sub-agents too. */
export function outer(mode: Mode): OuterMode[] {
  return mode === 'plan' || mode === 'locked' ? [mode] : [];
}
