/** Reads settings that are given as files (NAME_FILE), as containers and secret stores pass them, and finds misspelt settings. */
import { similarity } from '../shared/text/similar';
import { ConfigError } from './error';
import { contentOf } from './secret-variable';
import { VARIABLES } from './variables';

/** The variables that may also be given as NAME_FILE: ours, and the one secret that Temporal's own reader takes as text. */
const IN_FILES: readonly string[] = [...Object.keys(VARIABLES), 'TEMPORAL_API_KEY'];

/** Whether `loadConfig` reads a variable of this name; Temporal's own (`TEMPORAL_…`) are read by its own reader. */
export function isSetting(name: string): boolean {
  return IN_FILES.includes(name.replace(/_FILE$/, ''));
}

/** The environment with each NAME_FILE resolved to NAME. @throws ConfigError, which never shows a file's content */
export function readFiles(environment: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; fromFiles: ReadonlySet<string> } {
  const fileNames = IN_FILES.filter((name) => environment[`${name}_FILE`]);
  const contents = fileNames.map((name): [string, string] => {
    if (environment[name]) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them.`);
    return [name, contentOf(`${name}_FILE`, environment[`${name}_FILE`]!)];
  });
  return { env: { ...environment, ...Object.fromEntries(contents) }, fromFiles: new Set(fileNames) };
}

// Names that look like our settings, but that nothing reads: most are misspelt.

export interface UnknownSetting {
  name: string;
  /** The setting that may be meant. */
  meant: string | null;
}

/** Least similarity. All our names begin alike: below it two names have no more in common than that. */
const ALIKE = 0.75;

export function unknownSettings(env: NodeJS.ProcessEnv): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HOLDFAST_') && !isSetting(name))
    .map((name) => ({ name, meant: nearestSetting(name) }));
}

/** The setting with the most similar name; null if none is similar enough. */
export function nearestSetting(name: string): string | null {
  const [best] = Object.keys(VARIABLES)
    .map((candidate) => ({ known: candidate, alike: similarity(candidate, name) }))
    .sort((a, b) => b.alike - a.alike);
  return best && best.alike >= ALIKE ? best.known : null;
}
