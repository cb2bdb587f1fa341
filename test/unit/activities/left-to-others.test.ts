/** Work whose agent this worker does not have: in a deploy, a worker of the other release may have it. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { leaveToOthers } from '../../../src/activities/checks/own-turn';
import { resolveCall } from '../../../src/activities/checks/resolve-call';
import { takeStep } from '../../../src/activities/step/take-step';
import type { Dependencies } from '../../../src/activities/ports';
import { callDigest, hashJson } from '../../../src/shared/json/digests';

const HOUR_MS = 3_600_000;
const run = { workflowId: 'turn/t', runId: 'r' };
const turn = { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', agent: 'payables', requester: 'ana' };

/** As an activity that was scheduled so long ago. */
function ago<T>(ms: number, work: () => T): T {
  const context = { info: { workflowExecution: run, scheduledTimestampMs: Date.now() - ms }, heartbeat: () => undefined };
  return asyncLocalStorage.run(context as unknown as Context, work);
}

const registry = { agent: () => undefined, forTurn: () => undefined, find: () => undefined, names: () => ['clerk'] };
const deps = { registry, turns: { runs: async () => true } } as unknown as Dependencies;
const step = (more: object) => takeStep(deps, { turn, message: null, head: null, step: 2, ...more } as never);

it('is left to others for a time, and fails then', () => {
  expect(() => ago(0, () => leaveToOthers(turn))).toThrow(
    expect.objectContaining({ type: 'holdfast.unknown_agent', nonRetryable: false }),
  );
  expect(() => ago(HOUR_MS, () => leaveToOthers(turn))).not.toThrow();
});

it('a later step, and any step of a sub-agent’s turn, may be another worker’s', async () => {
  for (const more of [{}, { message: 'Hi.', turn: { ...turn, parent: { workflow_id: 'w', first_execution_run_id: 'r' } } }]) {
    await expect(ago(0, () => step(more))).rejects.toMatchObject({ type: 'holdfast.unknown_agent', nonRetryable: false });
    await expect(ago(HOUR_MS, () => step(more))).rejects.toMatchObject({ type: 'holdfast.unknown_agent', nonRetryable: true });
  }
});

it('the first step of a turn says at once that there is no such agent', async () => {
  const failed = ago(0, () => step({ message: 'Hi.', step: 1 }));
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('it serves: clerk'), nonRetryable: true });
});

describe('a call that was admitted elsewhere', () => {
  const bound = { ...turn, store_id: 's', session_id: null, trace_id: 'x' };
  const store = {
    getCall: async () => ({ record: { ...turn, tool: 'pay', version: '1.0.0' }, input: {}, target: null }),
    putPart: async () => 'a'.repeat(64),
  };
  const resolve = (toolClass: 'destructive' | 'read', options = {}) => {
    const call = {
      ...{
        id: '1.1',
        revision: 1,
        tool: 'pay',
        version: '1.0.0',
        class: toolClass,
        input: {},
        preview_ref: null,
      },
      ...{ input_hash: hashJson({}), policy_ref: 'p'.repeat(64), definition_ref: 'd'.repeat(64), target_hash: null },
    };
    const request = { turn: bound, call: { ...call, digest: callDigest(bound, call) }, options };
    return resolveCall({ ...deps, store } as never, request as never);
  };

  it('is tried again by Temporal, or by its turn if it is destructive, and is refused in the end', async () => {
    await expect(ago(0, () => resolve('read'))).rejects.toMatchObject({
      type: 'holdfast.unknown_agent',
      nonRetryable: false,
    });
    const refused = { ok: false, output: { error: { reason: 'tool_changed' } } };
    for (const answer of [
      await ago(HOUR_MS, () => resolve('read')),
      await ago(0, () => resolve('read', { enable_retry: false })),
    ]) {
      expect(answer).toMatchObject(refused);
      expect(answer).not.toHaveProperty('output.busy_ms');
    }
    expect(await ago(0, () => resolve('destructive'))).toMatchObject({
      ok: false,
      output: { effect: 'not_applied', busy_ms: 30_000 },
    });
  });
});
