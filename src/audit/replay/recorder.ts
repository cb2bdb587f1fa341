/**
 * SANDBOX, only in `replay-bundle.js`: an interceptor that records the commands of the workflow. It changes nothing; the workflows
 * beside it are the same as in `workflow-bundle.js`.
 */
import { proxySinks, workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import type { ReplaySinks } from './recording';

const { holdfastReplay } = proxySinks<ReplaySinks>();

export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      concludeActivation(input, next) {
        const output = next(input);
        if (output.commands.length > 0) holdfastReplay.asked({ task: workflowInfo().historyLength, commands: output.commands });
        return output;
      },
    },
  ],
});
