/** From the setting HOLDFAST_LIVE to a bus. */
import type { LiveBus } from './bus';
import type { PostgresLiveOptions } from './postgres';

/** @returns null: there is no way between processes */
export function openLive(
  { live, temporal }: { live: string | null; temporal: { namespace: string } },
  log: PostgresLiveOptions['log'],
): LiveBus | null {
  if (live === null) return null;
  // oxlint-disable-next-line typescript/no-require-imports -- it is loaded where one is named
  const { PostgresLive } = require('./postgres') as typeof import('./postgres');
  return new PostgresLive({ url: live, namespace: temporal.namespace, log });
}
