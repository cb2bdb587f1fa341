/** Reads the settings, and loads the code for that only when it is called. */
import type { Config } from '../config';

/**
 * The settings of this process: environment variables and the files that they name.
 * @throws ConfigError for a bad one
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // oxlint-disable-next-line typescript/no-require-imports -- what checks settings is a third of what a client would load
  return (require('../config') as typeof import('../config')).loadConfig(environment);
}
