import { join } from 'node:path';

/** The environment of a process that uses the embedded stack: neither other settings of Temporal's nor its profiles count. */
export function stackEnvironment(
  env: NodeJS.ProcessEnv,
  home: string,
  { address, namespace }: { address: string; namespace: string },
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  // Without a name Temporal's reader takes the file of this user; a missing file has no profiles.
  const noProfiles = { TEMPORAL_CONFIG_FILE: join(home, 'no-profiles.toml') };
  return { ...Object.fromEntries(others), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, ...noProfiles };
}
