/** Converts a tool's progress to MCP's `notifications/progress`. */

export interface McpProgress {
  jsonrpc: '2.0';
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total?: number; message: string };
}

/** Smallest increase: MCP requires that progress grows with every notification, but a tool may report one fraction twice. */
const LEAST = 1e-6;

/**
 * Makes the notifications of one call, with the token of its client. `fraction` from 0 to 1 becomes percent of 100.
 * Without a fraction, the notifications are counted and have no total.
 */
export function mcpProgress(progressToken: string | number): (message: string, fraction?: number) => McpProgress {
  let last = 0;
  let fractions = false;
  return (message, fraction) => {
    fractions ||= fraction !== undefined;
    const next = fraction === undefined ? (fractions ? last : last + 1) : fraction * 100;
    last = Math.max(next, last + LEAST);
    const total = fraction === undefined ? {} : { total: 100 };
    return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: last, ...total, message } };
  };
}
