/** Reads one setting, or the file that names it (NAME_FILE), for code that loads no other settings. */
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './error';

/** No setting is longer: a larger file was named by mistake. */
const MAX_FILE_BYTES = 64 * 1024;

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

/** What is in the file. @throws ConfigError, which never shows it */
export function contentOf(variable: string, path: string): string {
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
