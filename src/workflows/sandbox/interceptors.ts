/**
 * Workflow interceptors: add the trace id to log lines, take signals before the SDK does (signals.ts), note whether history has what
 * comes (condition.ts), and pass the trace context on (trace.ts).
 */
import {
  workflowInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptorsFactory,
  type WorkflowInternalsInterceptor,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { getActivator } from './activator';
import { MEMO_TRACE } from '../contract';
import { expectRefusal, hasNewSeed, noteRecord } from './condition';
import { deliverSignal, recordUpdateSender } from './signals';
import { traceInterceptors } from './trace';

/** Must never throw: an error here would block the workflow for good. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const { inbound = [], outbound = [] } = traceInterceptors();
  return { inbound: [ACCEPTED_UPDATE, ...inbound], outbound: [...outbound, TRACE_ID_IN_LOG], internals: [SIGNALS_FIRST] };
};

const TRACE_ID_IN_LOG: WorkflowOutboundCallsInterceptor = {
  getLogAttributes(attributes, next) {
    const trace = workflowInfo().memo?.[MEMO_TRACE];
    return next(trace === undefined ? attributes : { ...attributes, trace_id: trace });
  },
};

/** The SDK calls it in the same moment in which it accepts an update. No promise of its own, as in trace.ts. */
const ACCEPTED_UPDATE: WorkflowInboundCallsInterceptor = {
  handleUpdate(input, next) {
    noteRecord();
    return next(input);
  },
};

const SIGNALS_FIRST: WorkflowInternalsInterceptor = {
  activate(input, next) {
    const { activation } = input;
    const isReset = hasNewSeed();
    noteRecord();
    // Code for a signal may call `patched`: it needs the patches that this task has recorded.
    for (const { notifyHasPatch } of activation.jobs ?? []) if (notifyHasPatch) getActivator().notifyHasPatch(notifyHasPatch);
    const isOurs = (name: string | null | undefined) => !(name ?? '').startsWith('__temporal_');
    for (const { signalWorkflow, doUpdate } of activation.jobs ?? []) {
      if (doUpdate?.id) recordUpdateSender(doUpdate.id, doUpdate.meta?.identity ?? '');
      if (!signalWorkflow || !isOurs(signalWorkflow.signalName)) continue;
      const { signalName, identity, input: payloads } = signalWorkflow;
      deliverSignal({ name: signalName ?? '', identity: identity ?? '', payloads: payloads ?? [] });
    }
    const all = activation.jobs ?? [];
    const jobs = all.filter((job) => !job.signalWorkflow || !isOurs(job.signalWorkflow.signalName));
    // Updates come before other jobs, and the SDK evaluates conditions after each: it must find none true for a refused one.
    const others = jobs.findIndex((job) => !job.doUpdate);
    const updates = jobs.splice(0, others === -1 ? jobs.length : others);
    if (updates.length > 0) {
      expectRefusal();
      activation.jobs = updates;
      next(input);
      if (isReset || all.length > updates.length) noteRecord();
    }
    activation.jobs = jobs;
    if (jobs.length > 0 || updates.length === 0) next(input);
  },
};
