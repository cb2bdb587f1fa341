/** Prepares the folder of the built-in agents' workspace tools. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, type Config } from '../../config';

const README = `# Workspace

The files that the agent \`showcase\` of holdfast reads and writes. It puts its notes below \`notes/\`; elsewhere it asks
before it writes. Delete what you like: nothing here is state of the engine.
`;

/**
 * Its path. If the folder is missing, it is made for its user alone; an empty one gets a README.md.
 * @returns null if there can be none: on Windows, and if the default folder cannot be made; `say` gets the reason
 * @throws ConfigError when HOLDFAST_WORKSPACE names a folder that cannot be used
 */
export function prepareWorkspace(
  { workspace, home }: Pick<Config, 'workspace' | 'home'>,
  say: (line: string) => void,
): string | null {
  if (process.platform === 'win32') {
    say('The agent showcase is left out: its workspace tools do not run on Windows.');
    return null;
  }
  const path = resolve(workspace ?? join(home, 'workspace'));
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (readdirSync(path).length === 0) writeFileSync(join(path, 'README.md'), README);
    return path;
  } catch (error) {
    const why = `the folder cannot be used (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
    if (workspace !== null)
      throw new ConfigError(
        `HOLDFAST_WORKSPACE is ${JSON.stringify(workspace)}, but ${why}; it must be a folder that this user may write.`,
      );
    say(`The agent showcase is left out: of ${path} ${why}. Set HOLDFAST_WORKSPACE to a folder that this user may write.`);
    return null;
  }
}
