/** Opens the live bus that the setting HOLDFAST_LIVE names. */
import type { LiveBus } from './bus';
import type { PostgresLiveOptions } from './postgres';

/** @returns null: no bus between processes is configured */
export function openLive(
  { live, temporal }: { live: string | null; temporal: { namespace: string } },
  log: PostgresLiveOptions['log'],
): LiveBus | null {
  if (live === null) return null;
  // oxlint-disable-next-line typescript/no-require-imports -- it is loaded where one is named
  const { PostgresLive } = require('./postgres') as typeof import('./postgres');
  return new PostgresLive({ url: live, namespace: temporal.namespace, log });
}
