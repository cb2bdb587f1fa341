import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { getActivator } from './activator';
import { MEMO_TRACE } from '../contract';
import { deliverSignal, recordUpdateSender } from './signals';

/**
 * Puts the turn's trace id on what is logged about its workflow, and takes its signals before the SDK does
 * (signals.ts). Must never throw: that would wedge the workflow.
 */
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
        // A signal may ask for a patch: what this task has recorded must be known before.
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
