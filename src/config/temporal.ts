/** Finds Temporal's server: by the environment and its profiles, else the stack that runs here, else Temporal's default. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { DevState } from '../devserver/state-file';
import { ConfigError } from './error';
import type { Reader } from './variables';
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

export interface TemporalConfig {
  address: string;
  namespace: string;
  connectionOptions: NativeConnectionOptions & { address: string };
}

/** Worker versioning. */
export interface Deployment {
  name: string;
  buildId: string;
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

function unusable(why: string): ConfigError {
  return new ConfigError(`Temporal's settings (TEMPORAL_…) cannot be used: ${why}`);
}

export function temporalOf(env: NodeJS.ProcessEnv, running: DevState | null): TemporalConfig {
  const { address, namespace, connectionOptions } = temporalPlace(env, running);
  if (!/^\S+:\d{1,5}$/.test(address.value))
    throw unusable(`the address is ${JSON.stringify(address.value)}; it must be HOST:PORT`);
  return {
    address: address.value,
    namespace: namespace.value,
    connectionOptions: { ...connectionOptions, address: address.value },
  };
}

/** The dev server's Web UI; null for other addresses. */
export function defaultUi(address: string): string | null {
  return /^(localhost|127\.0\.0\.1):7233$/.test(address) ? 'http://localhost:8233' : null;
}

export function deploymentOf(read: Reader): Deployment | undefined {
  const [name, buildId] = [read('HOLDFAST_DEPLOYMENT'), read('HOLDFAST_BUILD_ID')];
  if (name !== undefined && buildId !== undefined) return { name, buildId };
  if (name === undefined && buildId === undefined) return undefined;
  const [set, unset] =
    name === undefined ? ['HOLDFAST_BUILD_ID', 'HOLDFAST_DEPLOYMENT'] : ['HOLDFAST_DEPLOYMENT', 'HOLDFAST_BUILD_ID'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither for an unversioned worker.`);
}
