/** The sink that passes the commands of an activation out of the sandbox, as the workflow gave them to the SDK. */
import type { Sinks } from '@temporalio/workflow';
import type { coresdk } from '@temporalio/proto';

export type WorkflowCommand = coresdk.workflow_commands.IWorkflowCommand;

/** One activation of a workflow: `task` names the workflow task (how many events there were when it began). */
export interface Activation {
  task: number;
  commands: WorkflowCommand[];
}

/** The sink `holdfastReplay`; a bundle that contains this name records its commands. */
export interface ReplaySinks extends Sinks {
  holdfastReplay: { asked(activation: Activation): void };
}

export const RECORDS = 'holdfastReplay';
