/** A turn for the comparison with its sub-agents' turns. */
import { SubAgents } from '../../../src/audit/verify/sub-agents';
import { carrying, type Fields } from './hand-events';
import { HandComparison, type Setting } from './hand-comparison';

export const BELOW = 'turn/t.1';
export const CALL = { id: '1.1', digest: 'd' };
export const OPEN = { sub_turn_id: 't.1', call: { ...CALL, makers: ['rita'] }, head: 'h', untrusted: false };
export const OPENED = { open: true, agent: 'helper', message: 'Help.', within: ['plan'], depth_left: 2, limits: { steps: 5 } };
export const REPORT = {
  ended: true,
  agent: 'helper',
  state: 'completed',
  head: 'e',
  reason: null,
  first_execution_run_id: 'b',
  spent: { usage: { cost: 1 } },
};
export const ANSWERED = { turn_id: 't.1', workflow_id: BELOW, first_execution_run_id: 'b', head: 'e' };

export class Scene extends HandComparison<SubAgents> {
  constructor(setting: Setting = {}) {
    const children = setting.children ?? new Map<string, string | null>();
    super((all, history, blocks, turn) => new SubAgents(all, history, blocks, turn, children), { ...setting, children });
  }

  open(more: Fields = {}, result: Fields = {}): this {
    this.run.activity('openSubTurn', { ...OPEN, ...more }, { ...OPENED, ...result });
    return this;
  }

  look(report: unknown = REPORT, workflow_id = BELOW): this {
    this.run.activity('lookAtSubTurn', { workflow_id }, report);
    return this;
  }

  close(report: Fields = REPORT, more: Fields = {}): this {
    this.run.activity('closeSubTurn', { call: CALL, sub_turn_id: 't.1', report, ...more }, {});
    return this;
  }

  /** Temporal is asked to start it. */
  initiate(argument: unknown, more: Fields = {}): string[] {
    this.run.tell('START_CHILD_WORKFLOW_EXECUTION_INITIATED', { workflowId: BELOW, input: carrying(argument), ...more });
    return this.faults();
  }

  began(runId = 'b', workflowId = BELOW, initiatedEventId = '9'): this {
    this.run.tell('CHILD_WORKFLOW_EXECUTION_STARTED', { workflowExecution: { workflowId, runId }, initiatedEventId });
    return this;
  }

  ended(): string[] {
    this.of.end();
    return this.faults();
  }
}

export const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};
