/** Paths of holdfast's own copy of the Temporal CLI: below the home directory, shared by all checkouts. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The release that is built if there is no CLI; later ones cannot be installed with `go install`. */
export const CLI_VERSION = '1.5.1';

export const EXECUTABLE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** `$XDG_CACHE_HOME/holdfast`, or `~/.cache/holdfast`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'holdfast');
}

export function cachedCli(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'bin', EXECUTABLE);
}
