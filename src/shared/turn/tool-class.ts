/**
 * The classes of tools. A tool has one class, which gives how its calls are scheduled, timed out, retried, cached and approved. A
 * tool may override single fields (timeout, TTL, parallel safety), but never what the class means.
 */
import type { ErrorCode } from '../wire/error-codes';

export const TOOL_CLASSES = ['compute', 'read', 'write', 'destructive', 'agent'] as const;
export type ToolClass = (typeof TOOL_CLASSES)[number];

export interface ClassRules {
  /** Retries after the first attempt, counted per error code. A code that is absent is not retried. */
  retries: Partial<Record<ErrorCode, number>>;
  /** Default time limit of one run, ms. */
  timeoutMs: number;
  cacheable: boolean;
  /** `always`: a person decides, unless a rule that names the tool allows it. */
  approval: 'never' | 'by_rule' | 'always';
  /** Whether calls may run beside others of the step. `tool`: only if the tool says so for these inputs. */
  parallel: 'yes' | 'tool' | 'never';
}

/** Time after which Temporal notices a dead worker, ms. A worker that only pauses should not leave a call in doubt. */
export const HEARTBEAT_TIMEOUT_MS = 10_000;

const READ_RETRIES = { NETWORK_ERROR: 3, TIMEOUT: 2, RATE_LIMITED: 10 } as const;

/** An upstream that asks for a longer wait before a repetition has refused the call, ms. */
export const LONGEST_WAIT_TO_REPEAT = 3_600_000;

export const CLASS_RULES: Record<ToolClass, ClassRules> = {
  compute: { retries: {}, timeoutMs: 10_000, cacheable: false, approval: 'never', parallel: 'yes' },
  read: {
    retries: READ_RETRIES,
    timeoutMs: 30_000,
    cacheable: true,
    approval: 'by_rule',
    parallel: 'yes',
  },
  write: {
    retries: READ_RETRIES,
    timeoutMs: 60_000,
    cacheable: false,
    approval: 'by_rule',
    parallel: 'tool',
  },
  destructive: {
    retries: {},
    timeoutMs: 60_000,
    cacheable: false,
    approval: 'always',
    parallel: 'never',
  },
  agent: { retries: {}, timeoutMs: 600_000, cacheable: false, approval: 'by_rule', parallel: 'yes' },
};

/** Time limit of one run, ms: the tool's own, or its class's. */
export function timeLimitOf({ timeoutMs, class: toolClass }: { timeoutMs?: number; class: ToolClass }): number {
  return timeoutMs ?? CLASS_RULES[toolClass].timeoutMs;
}

/** Names of tools that an MCP server offers: the server's name, then the tool's. */

/** Separates the server's name from the tool's. No server's name contains it, so the first one is the separator. */
export const SEPARATOR = '__';

/** Whether a tool's name, or a pattern over names, can only match tools of these servers. */
export function isFrom(servers: readonly string[], name: string): boolean {
  return servers.some((server) => name.startsWith(`${server}${SEPARATOR}`));
}
