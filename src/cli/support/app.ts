/** Loads the app that a command serves or lists. */
import type { App } from '../../agents/define';
import { loadApp } from '../../agents/load-app';
import type { Config } from '../../config';
import { UsageError } from './exit';
import { loadShowcase } from './showcase';
import { prepareWorkspace } from './workspace';
import { errorMessage } from '../../shared/text/error-message';

/**
 * The app to serve: the user's file, or the built-in agents.
 * @param options.showcase false: without the agent that has a shell; it is for trying things out
 */
export async function appOf(config: Config, file: string | undefined, options: { showcase?: boolean } = {}): Promise<App> {
  if (file === undefined) {
    const { shippedApp } = loadShowcase();
    const withShowcase = options.showcase ?? true;
    const workspace = !withShowcase ? null : prepareWorkspace(config, (line) => void process.stderr.write(`${line}\n`));
    return shippedApp({
      smtp: config.smtp ?? { host: '127.0.0.1', port: 25, from: 'holdfast@localhost' },
      edgar: config.edgar && { ...config.edgar, cacheFolder: config.cache },
      showcase: workspace === null ? null : { workspace, evm: config.evm, reference: config.reference },
    });
  }
  try {
    return await loadApp(file);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}
