/** What the SDK has no public name for does what we need of it. */
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { Activator } from '@temporalio/workflow/lib/internals';
import { setActivator } from '@temporalio/workflow/lib/global-attributes';
import Long from 'long';
import { historyFromJSON, historyToJSON } from '../../../src/temporal/history-json';
import { decodeArrayFromPayloads, executionInfoFromRaw } from '../../../src/temporal/sdk-private';
import { getActivator } from '../../../src/workflows/sandbox/activator';

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

describe('of its own run workflow code', () => {
  const options = { info: { unsafe: { isReplaying: true } }, randomnessSeed: [1, 2, 3], registeredActivityNames: new Set() };
  const activator = new Activator({ ...options, patchActivationCallback: () => true } as never);
  beforeAll(() => setActivator(activator));
  afterAll(() => setActivator(undefined));

  it('sees the random seed, which a reset replaces', () => {
    expect(getActivator().randomnessSeed).toEqual([1, 2, 3]);
    activator.updateRandomSeed({ randomnessSeed: Long.fromNumber(9) } as never);
    expect(getActivator().randomnessSeed).not.toEqual([1, 2, 3]);
  });

  it('takes what is known of a patch before its signals are taken', () => {
    getActivator().notifyHasPatch({ patchId: 'p' });
    expect(activator['knownPresentPatches'].has('p')).toBe(true);
  });
});
