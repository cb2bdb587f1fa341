/** Makes the Temporal client of a process. */
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { isEncrypted } from '../shared/wire/payload';
import { inSpan, traceFields } from '../telemetry/traces/api';
import { withTraceHeader } from '../telemetry/traces/header';
import { CALL_WORKFLOW, SESSION_UPDATES, TURN_WORKFLOW } from '../workflows/contract';
import { dataConverterOf, NO_KEYS } from './data-converter';

type Connection = NonNullable<NonNullable<ConstructorParameters<typeof Client>[0]>['connection']>;
type WorkflowService = Connection['workflowService'];
type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

export interface ClientOptions {
  connection: Connection;
  namespace: string;
  /** Null: this client has no keys. */
  codec: PayloadCodec | null;
  identity?: string;
}

export function makeClient({ connection, codec, ...options }: ClientOptions): Client {
  const dataConverter = codec === null ? { payloadCodecs: [NO_KEYS] } : dataConverterOf(codec);
  const interceptors = { workflow: [passTraceOn] };
  return new Client({
    ...options,
    connection: withReadableMemos(connection, codec, options.namespace),
    dataConverter,
    interceptors,
  });
}

/** Starts of turns and messages to sessions take the trace of the work that sends them along. */
const passTraceOn: WorkflowClientInterceptor = {
  start(input, next) {
    const { workflowType } = input;
    if (workflowType !== TURN_WORKFLOW && workflowType !== CALL_WORKFLOW) return next(input);
    const attributes = { 'holdfast.workflow_id': input.options.workflowId };
    return inSpan(`start ${workflowType}`, { kind: 'producer', attributes }, () =>
      next({ ...input, headers: withTraceHeader(input.headers, traceFields()) }),
    );
  },
  startUpdate(input, next) {
    if (input.updateName !== SESSION_UPDATES.send) return next(input);
    return next({ ...input, headers: withTraceHeader(input.headers, traceFields()) });
  },
};

/**
 * The SDK decodes the memo of each workflow that it lists or describes, and one unreadable field would fail the whole list. So fields
 * that this client cannot read are left out before: of workflows whose keys it lacks, damaged ones, and what anybody who may start
 * workflows has made up.
 */
function withReadableMemos<C extends Connection>(connection: C, codec: PayloadCodec | null, namespace: string): C {
  const readable = async (execution: Execution | null | undefined) => {
    if (!execution?.memo?.fields) return;
    const context = { type: 'workflow' as const, namespace, workflowId: execution.execution?.workflowId ?? '' };
    const fields = Object.entries(execution.memo.fields).map(async ([name, payload]): Promise<[string, Payload][]> => {
      const [plain] = isEncrypted(payload) ? ((await codec?.decode([payload], context).catch(() => undefined)) ?? []) : [payload];
      return plain && isReadable(plain) ? [[name, plain]] : [];
    });
    execution.memo.fields = Object.fromEntries((await Promise.all(fields)).flat());
  };
  const listWorkflowExecutions = async (request: temporal.api.workflowservice.v1.IListWorkflowExecutionsRequest) => {
    const answer = await connection.workflowService.listWorkflowExecutions(request);
    await Promise.all(answer.executions.map(readable));
    return answer;
  };
  const describeWorkflowExecution = async (request: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionRequest) => {
    const answer = await connection.workflowService.describeWorkflowExecution(request);
    await readable(answer.workflowExecutionInfo);
    return answer;
  };
  const workflowService = instead<WorkflowService>(connection.workflowService, {
    listWorkflowExecutions,
    describeWorkflowExecution,
  });
  return instead(connection, { workflowService });
}

function isReadable(payload: Payload): boolean {
  try {
    defaultPayloadConverter.fromPayload(payload);
    return true;
  } catch {
    return false;
  }
}

/** The same object with other members. */
function instead<T extends object>(object: T, members: { [name: string]: unknown }): T {
  const properties = Object.entries(members).map(([name, value]) => [name, { value, writable: true, configurable: true }]);
  return Object.create(object, Object.fromEntries(properties) as PropertyDescriptorMap) as T;
}
