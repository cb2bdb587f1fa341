/** Checks the callback address of a turn, and keeps it in the store, since many services put a key into such an address. */
import type { CallbackConfig } from '../config/gateway';
import { callbackHost } from '../shared/wire/callback';
import type { Store } from '../store/store';
import { Refusal } from './http/errors';

function callbackAddress(url: string, settings: CallbackConfig | null): string {
  const fault = settings === null ? 'this gateway allows no callbacks' : callbackHost(url, settings.hosts);
  if (typeof fault !== 'string') return url;
  const hint = 'The operator of the gateway allows hosts with HOLDFAST_CALLBACK_HOSTS.';
  throw new Refusal({
    code: 'INVALID_PARAMS',
    reason: 'callback_not_allowed',
    message: `callback_url may not be used: ${fault}.`,
    hint,
  });
}

/**
 * The start option with the part that holds the address.
 * @throws Refusal 400 if the address is not allowed
 */
export async function keptCallback(
  { store, callbacks = null }: { store: Store; callbacks?: CallbackConfig | null },
  url: string | undefined,
): Promise<{ callbackRef?: string }> {
  if (url === undefined) return {};
  const address = callbackAddress(url, callbacks);
  return { callbackRef: await store.putPart('callback', { v: 'holdfast.callback/1', url: address }) };
}
