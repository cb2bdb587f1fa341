/** Reads one setting, or the file that names it (NAME_FILE), for code that loads no other settings. */
import { readFileSync, statSync } from 'node:fs';
import { secretsIn } from '../shared/text/secrets';
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

// Headers that the SDKs of models read from the environment by themselves, wherever their requests go. They often have a key of the
// settings' own server, so a client of another server is made without them. With null in their place the SDK would send no key of the
// model either, if it goes in a header of the same name.

const HEADERS = {
  ANTHROPIC: ['ANTHROPIC_CUSTOM_HEADERS'],
  OPENAI: ['OPENAI_CUSTOM_HEADERS', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'],
};

type Vendor = keyof typeof HEADERS;

/**
 * @param baseUrl of the model; undefined: that of the settings, else the vendor's
 * @param make makes the SDK's client, which reads the variables while it is made
 */
export function clientFor<Client>(vendor: Vendor, baseUrl: string | undefined, make: () => Client): Client {
  const { env } = process;
  if (baseUrl === undefined || baseUrl === secretVariable(env, `${vendor}_BASE_URL`)) return make();
  const before = HEADERS[vendor].map((name) => [name, env[name]] as const);
  for (const [name] of before) delete env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of before) if (value !== undefined) env[name] = value;
  }
}

/** What no failure may show of these headers. Each line is a name, a colon and a value. */
export function headerSecrets(vendor: Vendor): string[] {
  const lines = (process.env[`${vendor}_CUSTOM_HEADERS`] ?? '').split('\n');
  return secretsIn(lines.map((line) => line.slice(line.indexOf(':') + 1).trim()));
}
