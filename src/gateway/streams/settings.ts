/** Settings of event streams. */
export interface StreamSettings {
  /** Streams open at once, for one principal. */
  perPrincipal: number;
  /** Streams open at once, in this gateway. */
  inAll: number;
  /** Interval of comments while no event is sent, ms: proxies cut silent connections. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is cut off, ms. It reconnects, and resumes where it was. */
  stallMs: number;
  /** How long a client waits before it reconnects, ms. */
  retryMs: number;
  /** How often a stream looks whether the token that opened it still counts, ms. */
  tokenLookMs: number;
}

export const STREAM_SETTINGS: StreamSettings = {
  perPrincipal: 256,
  inAll: 4096,
  keepAliveMs: 15_000,
  stallMs: 30_000,
  retryMs: 1000,
  tokenLookMs: 60_000,
};
