/**
 * Finds a Temporal CLI, which is the embedded server: one that exists already, else one that can be downloaded or built. It uses
 * nothing but Node's own modules: the set-up script uses it from dist/ too.
 */
import { existsSync } from 'node:fs';
import { cachedCli, CLI_VERSION } from './cli-cache';
import { downloadCli } from './cli-download';
import { GO_PACKAGE, goInstallCli } from './cli-go-install';
import { cliVersion } from './cli-version';
import { onPath } from './on-path';
import { errorMessage } from '../shared/text/error-message';

export interface FoundCli {
  path: string;
  /** Where it came from, in words: `PATH`. */
  source: string;
  version: string;
}

/** One place to look. `find` returns a path, or throws an Error that says why there is none. */
export interface CliSource {
  name: string;
  find(env: NodeJS.ProcessEnv, onProgress: (line: string) => void): string | Promise<string>;
}

export class CliNotFound extends Error {
  override readonly name = 'CliNotFound';
  constructor(attempts: { name: string; why: string }[]) {
    super(
      [
        'No Temporal CLI could be found or made. Tried:',
        ...attempts.map(({ name, why }) => `  - ${name}: ${why}`),
        'Shortest way out: install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH,',
        `or install Go and run this again, or set HOLDFAST_TEMPORAL_CLI to the path of a binary (go install ${GO_PACKAGE}).`,
      ].join('\n'),
    );
  }
}

/** Where a CLI may exist already: nothing is downloaded or built. */
export const PRESENT_CLI_SOURCES: CliSource[] = [
  {
    name: 'temporal on the PATH',
    find: (env) => onPath('temporal', env) ?? absent('not there'),
  },
  {
    name: 'our cache',
    find: (env) => (existsSync(cachedCli(env)) ? cachedCli(env) : absent(`no file ${cachedCli(env)}`)),
  },
];

/** In the order of the search; slower sources come later. */
export const CLI_SOURCES: CliSource[] = [
  ...PRESENT_CLI_SOURCES,
  { name: "the SDK's download", find: downloadCli },
  { name: `go install (version ${CLI_VERSION})`, find: goInstallCli },
];

export interface FindCliOptions {
  env?: NodeJS.ProcessEnv;
  onProgress?: (line: string) => void;
  sources?: CliSource[];
}

/**
 * If `HOLDFAST_TEMPORAL_CLI` is set, only that: a CLI that the user names is never silently replaced.
 * @throws CliNotFound with each thing tried and why it failed; Error when HOLDFAST_TEMPORAL_CLI names no Temporal CLI
 */
export async function findTemporalCli(options: FindCliOptions = {}): Promise<FoundCli> {
  const { env = process.env, onProgress = () => {}, sources = CLI_SOURCES } = options;
  const setting = env.HOLDFAST_TEMPORAL_CLI;
  if (setting) return { path: setting, source: 'HOLDFAST_TEMPORAL_CLI', version: await readCliVersion(setting) };

  const attempts: { name: string; why: string }[] = [];
  for (const source of sources) {
    try {
      const path = await source.find(env, onProgress);
      return { path, source: source.name, version: await cliVersion(path) };
    } catch (error) {
      attempts.push({ name: source.name, why: errorMessage(error) });
    }
  }
  throw new CliNotFound([{ name: 'HOLDFAST_TEMPORAL_CLI', why: 'not set' }, ...attempts]);
}

async function readCliVersion(path: string): Promise<string> {
  try {
    return await cliVersion(path);
  } catch (error) {
    throw new Error(
      `HOLDFAST_TEMPORAL_CLI is "${path}": ${errorMessage(error)}. Allowed: the path of a Temporal CLI; or unset it to have one found.`,
    );
  }
}

function absent(why: string): never {
  throw new Error(why);
}
