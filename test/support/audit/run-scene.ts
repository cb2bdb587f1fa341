/** A turn for the comparison with the server's own events. */
import { RunComparison } from '../../../src/audit/verify/run-comparison';
import { carrying, payloads, type Ending, type Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export class Scene extends HandComparison<RunComparison> {
  private done = '';

  constructor(setting: Setting = {}) {
    super((all, history) => new RunComparison(all, history), setting);
  }

  /** A task of the workflow that began at this time. */
  task(seconds: number): this {
    const startedEventId = this.run.tell('WORKFLOW_TASK_STARTED', {}, seconds);
    this.done = this.run.tell('WORKFLOW_TASK_COMPLETED', { startedEventId }, seconds + 1);
    return this;
  }

  /** An activity that the last task has scheduled. @returns its event */
  asks(name: string, argument: unknown, more: Fields = {}): string {
    const attributes = { activityType: { name }, input: carrying(argument), workflowTaskCompletedEventId: this.done, ...more };
    return this.run.tell('ACTIVITY_TASK_SCHEDULED', attributes);
  }

  found(name: string, argument: unknown, more: Fields = {}): string[] {
    this.asks(name, argument, more);
    return this.faults();
  }

  ends(view: Fields, as: Ending = 'COMPLETED'): string[] {
    this.run.ends(as, { calls: [], ...view });
    return this.faults();
  }

  next(more: Fields = {}, before = 'r', run_id = 's'): string[] {
    this.begin(run_id, { input: payloads({ turn_id: 't' }), continuedExecutionRunId: before, ...more }, 'continued');
    return this.faults();
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
