/** How long a tool result may be served from the cache, ms, by how fast its kind of data goes stale. */
export const QUOTE = 5_000;
export const NEWS = 5 * 60_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
