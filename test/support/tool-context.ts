import { randomBytes } from 'node:crypto';
import type { Json } from '../../src/shared/json/json';
import { cursorsFor } from '../../src/tools/results/pages';
import { ToolError } from '../../src/tools/define/errors';
import { silent } from './silent';
import type { ToolContext } from '../../src/tools/define/tool';

const key = randomBytes(32);

/** What a tool's function is given, for tests that call it without a worker; kept results live in memory. */
export function toolContext(more: Partial<ToolContext> = {}): ToolContext {
  const kept = new Map<string, Json>();
  return {
    idempotencyKey: 'hf_test',
    attempt: 1,
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    traceId: 'trace_20261121_000000000000',
    principal: 'test',
    log: silent,
    progress: () => undefined,
    network: (work) => work(),
    debug: () => undefined,
    cursors: cursorsFor(key, { tool: 'test', principal: more.principal ?? 'test' }),
    store: {
      readResult: async (ref) => {
        const data = kept.get(ref);
        if (data === undefined) throw new ToolError('RESOURCE_NOT_FOUND', 'unknown_ref', `There is no result ${ref}.`);
        return data;
      },
      keepResult: async (data) => {
        const ref = randomBytes(32).toString('hex');
        kept.set(ref, data);
        return ref;
      },
    },
    later: () => Promise.reject(new Error('This test has no call that ends later.')),
    ...more,
  };
}
