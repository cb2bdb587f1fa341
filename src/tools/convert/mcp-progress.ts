/** Our progress as MCP's `notifications/progress`. */

export interface McpProgress {
  jsonrpc: '2.0';
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total?: number; message: string };
}

/** MCP demands that progress grows with every notification; a tool may say two things at one fraction. */
const LEAST = 1e-6;

/**
 * Notifications of one call, for whoever asked with this token. `fraction` from 0 to 1 becomes percent of 100;
 * without one the notifications are counted, and no total is promised.
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
