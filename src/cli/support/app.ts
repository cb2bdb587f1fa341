import { shippedApp } from '../../agents';
import type { App } from '../../agents/define';
import { loadApp } from '../../agents/load-app';
import type { Config } from '../../config';
import { UsageError } from './exit';

/** The app to serve: the user's file, or the agents that ship. */
export async function appOf(config: Config, file: string | undefined): Promise<App> {
  if (file === undefined) {
    return shippedApp({
      smtp: config.smtp ?? { host: '127.0.0.1', port: 25, from: 'holdfast@localhost' },
      edgar: config.edgar && { ...config.edgar, cacheFolder: config.cache },
    });
  }
  try {
    return await loadApp(file);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
