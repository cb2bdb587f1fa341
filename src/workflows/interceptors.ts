import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { MEMO_TRACE, SIGNALS } from './contract';
import { signalArrived } from './signal-senders';

/**
 * Puts the turn's trace id on what is logged about its workflow, and notes the sender of every signal
 * before its handler runs. Must never throw: that would wedge the workflow.
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
        for (const job of input.activation.jobs ?? []) {
          const signal = job.signalWorkflow;
          if (!signal) continue;
          const name = signal.signalName ?? '';
          if (name.startsWith('__temporal_')) continue;
          signalArrived(name, signal.identity ?? '', Object.hasOwn(SIGNALS, name));
        }
        next(input);
      },
    },
  ],
});
