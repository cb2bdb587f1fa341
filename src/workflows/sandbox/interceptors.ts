/**
 * Workflow interceptors: add the trace id to log lines, take signals before the SDK does (signals.ts), and pass the trace context on
 * (trace.ts).
 */
import {
  workflowInfo,
  type WorkflowInterceptorsFactory,
  type WorkflowInternalsInterceptor,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { getActivator } from './activator';
import { MEMO_TRACE } from '../contract';
import { deliverSignal, recordUpdateSender } from './signals';
import { traceInterceptors } from './trace';

/** Must never throw: an error here would block the workflow for good. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const { inbound = [], outbound = [] } = traceInterceptors();
  return { inbound, outbound: [...outbound, TRACE_ID_IN_LOG], internals: [SIGNALS_FIRST] };
};

const TRACE_ID_IN_LOG: WorkflowOutboundCallsInterceptor = {
  getLogAttributes(attributes, next) {
    const trace = workflowInfo().memo?.[MEMO_TRACE];
    return next(trace === undefined ? attributes : { ...attributes, trace_id: trace });
  },
};

const SIGNALS_FIRST: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const { activation } = input;
    // Code for a signal may call `patched`: it needs the patches that this task has recorded.
    for (const { notifyHasPatch } of activation.jobs ?? []) if (notifyHasPatch) getActivator().notifyHasPatch(notifyHasPatch);
    const isOurs = (name: string | null | undefined) => !(name ?? '').startsWith('__temporal_');
    for (const { signalWorkflow, doUpdate } of activation.jobs ?? []) {
      if (doUpdate?.id) recordUpdateSender(doUpdate.id, doUpdate.meta?.identity ?? '');
      if (!signalWorkflow || !isOurs(signalWorkflow.signalName)) continue;
      const { signalName, identity, input: payloads } = signalWorkflow;
      deliverSignal({ name: signalName ?? '', identity: identity ?? '', payloads: payloads ?? [] });
    }
    activation.jobs = (activation.jobs ?? []).filter((job) => !job.signalWorkflow || !isOurs(job.signalWorkflow.signalName));
    next(input);
  },
};
