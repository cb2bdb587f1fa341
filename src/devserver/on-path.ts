/** Searches the PATH for an executable. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of that name on the PATH, or null. */
export function onPath(name: string, env: NodeJS.ProcessEnv): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, file)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
