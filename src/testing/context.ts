/** The context of a tool's function in a test, without a worker. */
import { randomBytes } from 'node:crypto';
import type { Json } from '../shared/json/json';
import { cursorsFor } from '../tools/results/pages';
import { ToolError } from '../tools/define/errors';
import type { GivenContext } from '../tools/run/run';

const cursorKey = randomBytes(32);
const nothing = () => undefined;

/** An idempotency key that no call had before, in the engine's format. */
export function newKey(): string {
  return `hf_${randomBytes(20).toString('hex')}`;
}

/** The context of one run: nothing is logged, and kept results are in memory. */
export function contextFor(tool: string, idempotencyKey: string, attempt = 1): GivenContext {
  const entries = new Map<string, Json>();
  const principal = 'test';
  return {
    idempotencyKey,
    attempt,
    traceId: 'trace_20000101_000000000000',
    principal,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    progress: nothing,
    network: (work) => work(),
    debug: nothing,
    cursors: cursorsFor(cursorKey, { tool, principal }),
    store: {
      async readResult(ref) {
        const data = entries.get(ref);
        if (data === undefined) throw new ToolError('RESOURCE_NOT_FOUND', 'unknown_ref', `There is no result ${ref}.`);
        return data;
      },
      async keepResult(data) {
        const ref = randomBytes(32).toString('hex');
        entries.set(ref, data);
        return ref;
      },
    },
    later: async ({ expiresMs }) => {
      const token = Buffer.from(idempotencyKey).toString('base64url').slice(0, 43);
      const expires_at = new Date(Date.now() + expiresMs).toISOString();
      return { token, url: `http://localhost/v1/completions/${token}`, expires_at };
    },
  };
}
