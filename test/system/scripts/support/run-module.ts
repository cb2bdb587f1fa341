import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The repository. */
export const ROOT = join(__dirname, '../../../..');

/**
 * Runs statements beside a module of scripts/lib in a Node of its own (Jest loads no ES modules).
 * @param body uses `lib`, the module, and returns something that JSON can hold
 */
export function withModule<T>(name: string, body: string, input: unknown = null): T {
  const url = pathToFileURL(join(ROOT, 'scripts', 'lib', name)).href;
  const code = `import * as lib from ${JSON.stringify(url)};
    const input = ${JSON.stringify(input)};
    const result = await (async () => { ${body} })();
    process.stdout.write(JSON.stringify(result ?? null));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', cwd: ROOT })) as T;
}
