/** Workflow interceptors: add the trace id to log lines, and take signals before the SDK does (signals.ts). */
import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { getActivator } from './activator';
import { MEMO_TRACE } from '../contract';
import { deliverSignal, recordUpdateSender } from './signals';

/** Must never throw: an error here would block the workflow for good. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      getLogAttributes(attributes, next) {
        const trace = workflowInfo().memo?.[MEMO_TRACE];
        return next(trace === undefined ? attributes : { ...attributes, trace_id: trace });
      },
    },
  ],
  internals: [
    {
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
    },
  ],
});
