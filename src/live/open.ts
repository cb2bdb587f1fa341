/** From the setting HOLDFAST_LIVE to a bus. */
import type { LiveBus } from './bus';
import { PostgresLive, type PostgresLiveOptions } from './postgres';

/** @returns null: there is no way between processes */
export function openLive(
  { live, temporal }: { live: string | null; temporal: { namespace: string } },
  log: PostgresLiveOptions['log'],
): LiveBus | null {
  return live === null ? null : new PostgresLive({ url: live, namespace: temporal.namespace, log });
}
