/** How many streams are open, of one principal and in all. */
import { Refusal } from '../http/errors';
import { STREAM_SETTINGS, type StreamSettings } from './settings';
import type { GatewayParts } from '../route';

const COME_BACK_MS = 5000;

const shared = new WeakMap<GatewayParts, StreamLimits>();

/** One for a gateway, whichever of its routes streams. */
export function streamLimits(parts: GatewayParts): StreamLimits {
  const limits = shared.get(parts) ?? new StreamLimits({ ...STREAM_SETTINGS, ...parts.streams });
  shared.set(parts, limits);
  return limits;
}

export class StreamLimits {
  private readonly open = new Map<string, number>();
  private all = 0;

  constructor(private readonly settings: Pick<StreamSettings, 'perPrincipal' | 'inAll'>) {}

  /** @returns gives the place back, once. @throws Refusal 429, 503 */
  take(principal: string): () => void {
    const { perPrincipal, inAll } = this.settings;
    const own = this.open.get(principal) ?? 0;
    if (own >= perPrincipal) {
      const message = `${principal} has ${own} streams open; ${perPrincipal} are allowed. Close some, or let those who watch share one.`;
      throw new Refusal({ code: 'RATE_LIMITED', reason: 'too_many_streams', message, retryAfterMs: COME_BACK_MS });
    }
    if (this.all >= inAll) {
      const message = 'This gateway has as many streams open as it can hold; try again in a moment, or another one.';
      throw new Refusal({ code: 'NETWORK_ERROR', reason: 'gateway_full', message, retryAfterMs: COME_BACK_MS });
    }
    this.open.set(principal, own + 1);
    this.all += 1;
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.all -= 1;
      const left = (this.open.get(principal) ?? 1) - 1;
      if (left > 0) this.open.set(principal, left);
      else this.open.delete(principal);
    };
  }
}
