/**
 * What a workflow does for tracing. It passes the trace context of its start on to activities and child workflows as it came, and
 * reports spans that no activity covers, by a sink: sinks are not called in a replay, and make no commands. Nothing here knows
 * OpenTelemetry; without a header, and on a worker without tracing, nothing happens.
 */
import type { Headers, Payload } from '@temporalio/common';
import { proxySinks, type Sinks, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { isJsonObject, type Json } from '../../shared/json/json';
import { TRACE_HEADER, type WorkflowSpan } from '../../shared/io/turn';
import { SESSION_UPDATES, SESSION_WORKFLOW } from '../contract';
import { getActivator } from './activator';

/** @param header the trace context that the workflow was started with; null: none */
export interface TraceSinks extends Sinks {
  holdfastTrace: { ended(span: WorkflowSpan, header: Payload | null): void };
}

interface Trace {
  header: Payload | null;
  /** Of a session: trace contexts of messages whose turn has not begun, by the id of the turn. */
  messages: Map<string, Payload>;
  /** When calls began in this run, ms since 1970. */
  calls: Map<string, number>;
}

/** By the activator of a workflow, as in signals.ts. */
const traces = new WeakMap<object, Trace>();

function trace(): Trace {
  const activator = getActivator();
  const present = traces.get(activator);
  if (present) return present;
  const own: Trace = { header: null, messages: new Map(), calls: new Map() };
  traces.set(activator, own);
  return own;
}

const MOST_MESSAGES = 100;

/** Must never throw, like all interceptors of workflows. */
export function traceInterceptors(): Pick<WorkflowInterceptors, 'inbound' | 'outbound'> {
  const passOn = <I extends { headers: Headers }>(input: I, header = trace().header): I =>
    header === null ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } };
  return {
    inbound: [
      {
        execute(input, next) {
          trace().header = input.headers[TRACE_HEADER] ?? null;
          return next(input);
        },
        // No promise of its own without a header: the order of a workflow's commands depends on the number of promises.
        handleUpdate(input, next) {
          const header = input.headers[TRACE_HEADER];
          if (header === undefined || input.name !== SESSION_UPDATES.send) return next(input);
          return next(input).then((answer) => (rememberMessage(answer as Json, header), answer));
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(passOn(input)),
        startChildWorkflowExecution(input, next) {
          if (workflowInfo().workflowType !== SESSION_WORKFLOW) return next(passOn(input));
          // A session lives long: the trace of a turn is that of its own message.
          const [start] = input.options.args as [{ turn_id?: string } | undefined];
          return next(passOn(input, takeMessage(start?.turn_id ?? '')));
        },
        continueAsNew: (input, next) => next(passOn(input)),
      },
    ],
  };
}

function rememberMessage(answer: Json, header: Payload): void {
  const { messages } = trace();
  if (!isJsonObject(answer) || typeof answer.turn_id !== 'string' || answer.again === true) return;
  if (messages.size >= MOST_MESSAGES) messages.delete(messages.keys().next().value!);
  messages.set(answer.turn_id, header);
}

function takeMessage(turnId: string): Payload | null {
  const { messages } = trace();
  const header = messages.get(turnId) ?? null;
  messages.delete(turnId);
  return header;
}

/** Reports a span that ends now. */
export function reportSpan(span: Omit<WorkflowSpan, 'end'>): void {
  proxySinks<TraceSinks>().holdfastTrace.ended({ ...span, end: Date.now() }, trace().header);
}

export function callBegan(id: string): void {
  trace().calls.set(id, Date.now());
}

/** When it began in this run; else when this run began: a call that waits for a person may go on in another run. */
export function beginOfCall(id: string): number {
  const { calls } = trace();
  const begin = calls.get(id) ?? beginOfRun();
  calls.delete(id);
  return begin;
}

export function beginOfRun(): number {
  return workflowInfo().runStartTime.getTime();
}
