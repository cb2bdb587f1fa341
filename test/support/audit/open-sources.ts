/** The places of calls that have not run, or are in doubt, in the lines of samples: for test/support/audit/repeated-facts.ts. */
import {
  CALL_ARGUMENTS,
  CALL_OUTCOME,
  CALL_VIEW,
  RUN_CALL_OUTPUT,
  TAKE_STEP_OUTPUT,
} from '../../../src/audit/verify/fact-tables';
import { TURN_POLICY } from '../../../src/audit/verify/fact-tables-runs';
import { argument, result, view } from './open-lines';
import type { Source } from './source';

/** All are of one sample: in it a classifier denies one call, and a probe settles another. */
const OF = { of: 'probed', only: true };

export const OPEN_SOURCES: Record<string, Source> = {
  'a call that admission was asked about and denied': {
    ...OF,
    table: CALL_ARGUMENTS,
    record: (lines) => argument(lines, 'admitCall').call,
  },
  'a call that admission was asked about and let pass': {
    ...OF,
    table: CALL_ARGUMENTS,
    record: (lines) => argument(lines, 'admitCall', 1).call,
  },
  'what became of a call that was denied': {
    ...OF,
    table: CALL_OUTCOME,
    record: (lines) => argument(lines, 'takeStep', 1).outcomes[0],
  },
  "a call that was denied, in the turn's result": { ...OF, table: CALL_VIEW, record: (lines) => view(lines).calls[0] },
  'what became of a dispatch, before a probe has settled it': {
    ...OF,
    table: RUN_CALL_OUTPUT,
    record: (lines) => result(lines, 'runCall', 1),
  },
  'what a probe has settled': { ...OF, table: RUN_CALL_OUTPUT, record: (lines) => result(lines, 'reconcileEffect', 1).settled },
  'the answer of a step without calls': { ...OF, table: TAKE_STEP_OUTPUT, record: (lines) => result(lines, 'takeStep', 2) },
  'the policy of a step without calls': { ...OF, table: TURN_POLICY, record: (lines) => result(lines, 'takeStep', 2).policy },
};
