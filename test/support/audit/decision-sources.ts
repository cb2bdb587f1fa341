/** The places of decisions, and of facts that admission was told, in the lines of samples: for test/support/audit/repeated-facts.ts. */
import * as factTables from '../../../src/audit/verify/fact-tables-decisions';
import type { OpenLine } from './forge';
import type { Source } from './source';

export interface Find {
  input(lines: OpenLine[], activity: string, nth?: number): any;
  output(lines: OpenLine[], activity: string, nth?: number): any;
  part(lines: OpenLine[], has: (body: any) => unknown): any;
}

export function decisionSources({ input, output, part }: Find): Record<string, Source> {
  return {
    'what the call that ran was told': {
      of: 'approval',
      table: factTables.RUN_CALL_INPUT,
      record: (lines) => input(lines, 'runCall'),
    },
    'the decision that ran with the call, as it was given': {
      of: 'waited',
      table: factTables.DECISION_SOURCE,
      record: (lines) => input(lines, 'runCall').approvals[1],
    },
    'a deputy’s approval that ran with the call': {
      of: 'deputy',
      table: factTables.DECISION_SOURCE,
      record: (lines) => input(lines, 'runCall').approvals[0],
    },
    'what a worker has found of a deputy’s approval': {
      of: 'deputy',
      table: factTables.CHECK_DECISION_OUTPUT,
      record: (lines) => output(lines, 'checkDecision'),
    },
    'another input, as admission was given it': {
      of: 'edited',
      table: factTables.EDIT,
      record: (lines) => input(lines, 'admitCall', 1).edit,
    },
    'that another input was wanted': {
      of: 'edited',
      table: { ...factTables.RECORDED_EDIT, revision: 'rule.H9' },
      record: (lines) => input(lines, 'runCall').call.earlier[0],
    },
    'the same in the transcript': {
      of: 'edited',
      table: factTables.RECORDED_EDIT,
      record: (lines) => part(lines, ({ decision }) => decision === 'edit'),
    },
    'what a person said of a call in doubt': {
      of: 'in_doubt',
      table: factTables.SETTLE_EFFECT_INPUT,
      record: (lines) => input(lines, 'settleEffect'),
    },
    'what a worker was to check': {
      of: 'bound',
      table: factTables.CHECK_DECISION_INPUT,
      record: (lines) => input(lines, 'checkDecision'),
    },
    'what it has found': {
      of: 'bound',
      table: factTables.CHECK_DECISION_OUTPUT,
      record: (lines) => output(lines, 'checkDecision'),
    },
    'what admission was told': {
      of: 'approval',
      table: factTables.ADMIT_CALL_INPUT,
      record: (lines) => input(lines, 'admitCall'),
    },
    'the verdict that came later': {
      of: 'edited',
      table: factTables.DECIDED_CALL,
      record: (lines) => output(lines, 'admitCall', 1).decided,
    },
    'what a direct call was asked for': {
      of: 'call',
      table: factTables.ADMIT_DIRECT_INPUT,
      record: (lines) => input(lines, 'admitDirect'),
    },
    'how a direct call was admitted': {
      of: 'call',
      table: factTables.ADMIT_DIRECT_OUTPUT,
      record: (lines) => output(lines, 'admitDirect'),
    },
  };
}
