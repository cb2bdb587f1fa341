/** Names that look like settings of ours, and that nothing reads: most are misspelt. */
import { similarity } from '../shared/text/similar';
import { isSetting } from './files';
import { VARIABLES } from './variables';

export interface UnknownSetting {
  name: string;
  /** The setting that may be meant. */
  meant: string | null;
}

/** All of ours begin alike: below it two names have no more in common than that. */
const ALIKE = 0.75;

export function unknownSettings(env: NodeJS.ProcessEnv): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HOLDFAST_') && !isSetting(name))
    .map((name) => ({ name, meant: nearestSetting(name) }));
}

/** The setting whose name is most alike; null where none is much alike. */
export function nearestSetting(name: string): string | null {
  const [best] = Object.keys(VARIABLES)
    .map((known) => ({ known, alike: similarity(known, name) }))
    .sort((a, b) => b.alike - a.alike);
  return best && best.alike >= ALIKE ? best.known : null;
}
