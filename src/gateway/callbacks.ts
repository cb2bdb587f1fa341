/** The address that a turn shall tell of itself: checked, and kept in the store, since many services put a key into it. */
import type { CallbackConfig } from '../config/http';
import { callbackHost } from '../shared/wire/callback';
import type { Store } from '../store/store';
import { Refusal } from './http/errors';

function callbackAddress(url: string, settings: CallbackConfig | null): string {
  const fault = settings === null ? 'this gateway allows no callbacks' : callbackHost(url, settings.hosts);
  if (typeof fault !== 'string') return url;
  const hint = 'Whoever runs the gateway allows hosts by HOLDFAST_CALLBACK_HOSTS.';
  throw new Refusal({
    code: 'INVALID_PARAMS',
    reason: 'callback_not_allowed',
    message: `callback_url may not be used: ${fault}.`,
    hint,
  });
}

/**
 * What starts a turn, with the part that has the address.
 * @throws Refusal 400 where it may not be told there
 */
export async function keptCallback(
  { store, callbacks = null }: { store: Store; callbacks?: CallbackConfig | null },
  url: string | undefined,
): Promise<{ callbackRef?: string }> {
  if (url === undefined) return {};
  const allowed = callbackAddress(url, callbacks);
  return { callbackRef: await store.putPart('callback', { v: 'holdfast.callback/1', url: allowed }) };
}
