import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { SIGNALS } from './contract';
import { signalArrived } from './signal-senders';

/** Notes the sender of every signal before its handler runs. Must never throw: that would wedge the workflow. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
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
