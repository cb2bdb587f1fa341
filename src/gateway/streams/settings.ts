/** How streams behave. */
export interface StreamSettings {
  /** Open at once, of one principal. */
  perPrincipal: number;
  /** Open at once, of this gateway. */
  inAll: number;
  /** A comment goes out this often when nothing else does, ms: proxies cut what is silent. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is cut off, ms; he comes back by himself, to where he was. */
  stallMs: number;
  /** What a client that was cut off waits before it comes back, ms. */
  retryMs: number;
}

export const STREAM_SETTINGS: StreamSettings = {
  perPrincipal: 256,
  inAll: 4096,
  keepAliveMs: 15_000,
  stallMs: 30_000,
  retryMs: 1000,
};
