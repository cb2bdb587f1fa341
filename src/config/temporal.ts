/** Finds Temporal's server: by the environment and its profiles, else the stack that runs here, else Temporal's default. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { DevState } from '../devserver/state-file';
import { ConfigError } from './error';
import { errorMessage } from '../shared/text/error-message';

/** `profile`: from Temporal's own file; `stack`: from the embedded stack that runs here. */
export interface SourcedSetting {
  value: string;
  source: 'environment' | 'profile' | 'stack' | 'default';
}

export interface TemporalPlace {
  address: SourcedSetting;
  namespace: SourcedSetting;
  connectionOptions: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
}

/** @throws ConfigError if Temporal's own reader refuses them */
export function temporalPlace(env: NodeJS.ProcessEnv, running: DevState | null): TemporalPlace {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const { connectionOptions, namespace } = loadConnectConfig(overrideEnvVars);
  const choose = (name: string, own: string | undefined, stack: string | undefined, otherwise: string): SourcedSetting => {
    if (own !== undefined) return { value: own, source: env[name] ? 'environment' : 'profile' };
    return stack === undefined ? { value: otherwise, source: 'default' } : { value: stack, source: 'stack' };
  };
  return {
    address: choose('TEMPORAL_ADDRESS', connectionOptions.address, running?.address, '127.0.0.1:7233'),
    namespace: choose('TEMPORAL_NAMESPACE', namespace, running?.namespace, 'default'),
    connectionOptions,
  };
}

function loadConnectConfig(overrideEnvVars: Record<string, string>): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig({ overrideEnvVars });
  } catch (error) {
    throw unusable(errorMessage(error));
  }
}

export function unusable(why: string): ConfigError {
  return new ConfigError(`Temporal's settings (TEMPORAL_…) cannot be used: ${why}`);
}
