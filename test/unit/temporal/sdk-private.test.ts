/** The private parts of the SDK that we use do what we need. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { Activator } from '@temporalio/workflow/lib/internals';
import { setActivator } from '@temporalio/workflow/lib/global-attributes';
import Long from 'long';
import { historyFromJSON, historyToJSON } from '../../../src/temporal/history/history-json';
import { decodeArrayFromPayloads, executionInfoFromRaw } from '../../../src/temporal/sdk-private';
import { getActivator } from '../../../src/workflows/sandbox/activator';
import { skipPromiseStacks } from '../../../src/workflows/sandbox/bundle-flags';

it('a listed workflow has its status, times, memo and search attributes', async () => {
  const keyword = {
    ...defaultPayloadConverter.toPayload('ops')!,
    metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from('Keyword') },
  };
  const raw = {
    execution: { workflowId: 'turn/t', runId: 'r' },
    type: { name: 'turn' },
    status: temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
    taskQueue: 'q',
    historyLength: Long.fromNumber(7),
    startTime: { seconds: Long.fromNumber(1_800_000_000), nanos: 5_000_000 },
    memo: { fields: { holdfast_key: defaultPayloadConverter.toPayload('k') } },
    searchAttributes: { indexedFields: { HoldfastAgent: keyword } },
  } as temporal.api.workflow.v1.IWorkflowExecutionInfo;
  expect(await executionInfoFromRaw(raw as never, defaultDataConverter as never, raw, 'default')).toMatchObject({
    workflowId: 'turn/t',
    runId: 'r',
    type: 'turn',
    status: { name: 'RUNNING' },
    startTime: new Date(1_800_000_000_005),
    memo: { holdfast_key: 'k' },
    searchAttributes: { HoldfastAgent: ['ops'] },
  });
});

it('payloads are decoded in their order', async () => {
  const payloads = [{ a: 1 }, null, 'x'].map((value) => defaultPayloadConverter.toPayload(value)!);
  expect(await decodeArrayFromPayloads(defaultDataConverter as never, payloads)).toEqual([{ a: 1 }, null, 'x']);
});

it('a history is written as JSON and read again', () => {
  const event = { eventId: Long.fromNumber(1), eventType: temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED };
  const history = { events: [{ ...event, workflowExecutionStartedEventAttributes: { workflowType: { name: 'turn' } } }] };
  const json = historyToJSON(history);
  expect(JSON.parse(json)).toMatchObject({ events: [{ eventId: '1', eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' }] });
  expect(historyToJSON(historyFromJSON(JSON.parse(json)))).toBe(json);
});

describe('in its own run workflow code', () => {
  const options = { info: { unsafe: { isReplaying: true } }, randomnessSeed: [1, 2, 3], registeredActivityNames: new Set() };
  const activator = new Activator({ ...options, patchActivationCallback: () => true } as never);
  beforeAll(() => setActivator(activator));
  afterAll(() => setActivator(undefined));

  it('can read the random seed, which a reset replaces', () => {
    expect(getActivator().randomnessSeed).toEqual([1, 2, 3]);
    activator.updateRandomSeed({ randomnessSeed: Long.fromNumber(9) } as never);
    expect(getActivator().randomnessSeed).not.toEqual([1, 2, 3]);
  });

  it('learns about a patch before it gets its signals', () => {
    getActivator().notifyHasPatch({ patchId: 'p' });
    expect(activator['knownPresentPatches'].has('p')).toBe(true);
  });
});

describe('for the promises of workflow code the SDK', () => {
  // In a thread of its own: the hook sees every promise of its thread, and stays.
  const run = (skip: boolean) => `
    const vm = require('node:vm');
    const { globalHandlers, setUnhandledRejectionHandler } = require(${JSON.stringify(require.resolve('@temporalio/worker/lib/workflow/vm-shared'))});
    const context = vm.createContext({}, { microtaskMode: 'afterEvaluate' });
    const store = { childToParent: new Map(), promiseToStack: new Map() };
    const realm = vm.runInContext('globalThis', context);
    realm.__TEMPORAL_ACTIVATOR__ = { promiseStackStore: store, info: { runId: 'run-1' } };
    if (${skip}) (${skipPromiseStacks.toString()})(realm);
    globalHandlers.install();
    const rejected = new Promise((resolve) =>
      setUnhandledRejectionHandler((runId) => ({ setUnhandledRejection: ({ cause }) => resolve([runId, cause.stack.split('\\n').length > 1]) })),
    );
    vm.runInContext('globalThis.waits = (async () => { await new Promise(() => undefined); })(); void 0', context);
    const stacks = store.promiseToStack.size;
    vm.runInContext('void (async () => { throw new Error("unseen"); })()', context);
    rejected.then(([runId, hasStack]) => require('node:worker_threads').parentPort.postMessage({ stacks, runId, hasStack }));`;
  const seen = async (skip: boolean) => (await once(new Worker(run(skip), { eval: true }), 'message'))[0];

  it('records a stack trace each, unless it is kept from it; an unhandled rejection is found either way', async () => {
    const taken = await seen(false);
    expect(taken).toEqual({ stacks: expect.any(Number), runId: 'run-1', hasStack: true });
    expect(taken.stacks).toBeGreaterThan(0);
    expect(await seen(true)).toEqual({ stacks: 0, runId: 'run-1', hasStack: true });
  });
});
