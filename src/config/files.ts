/** Reads settings that are given as files (NAME_FILE), as containers and secret stores pass them, and finds misspelt settings. */
import { readFileSync, statSync } from 'node:fs';
import { similarity } from '../shared/text/similar';
import { ConfigError } from './error';
import { VARIABLES } from './variables';

/** The variables that may also be given as NAME_FILE: ours, and the one secret that Temporal's own reader takes as text. */
const IN_FILES: readonly string[] = [...Object.keys(VARIABLES), 'TEMPORAL_API_KEY'];
/** No setting is longer: a larger file was named by mistake. */
const MAX_FILE_BYTES = 64 * 1024;

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

/**
 * The value of a variable for code that has no `Config`, or what is in the file that NAME_FILE names. Undefined: neither is set.
 * @throws ConfigError, which never shows a value
 */
export function secretVariable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const [value, file] = [environment[name], environment[`${name}_FILE`]];
  if (value && file) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them.`);
  return file ? contentOf(`${name}_FILE`, file) : value || undefined;
}

/** What was read from pipes, by their paths: a pipe can be read only once. */
const fromPipes = new Map<string, string>();

function contentOf(variable: string, path: string): string {
  const earlier = fromPipes.get(path);
  if (earlier) return earlier;
  const fault = (what: string) => new ConfigError(`${variable} is ${JSON.stringify(path.slice(0, 200))}, ${what}.`);
  let content: string;
  try {
    const stats = statSync(path);
    if (stats.size > MAX_FILE_BYTES) throw new RangeError(`more than ${MAX_FILE_BYTES} bytes`);
    content = readFileSync(path, 'utf8').trim();
    if (!stats.isFile()) fromPipes.set(path, content);
  } catch (error) {
    const why = error instanceof RangeError ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unknown error');
    throw fault(`which cannot be read (${why}); it must be a file that this process may read`);
  }
  if (content === '') throw fault('which is empty; it must hold the value');
  return content;
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
