/** The places of the result that an agent gives: for test/support/audit/repeated-facts.ts. */
import * as factTables from '../../../src/audit/verify/fact-tables';
import * as ofTurn from '../../../src/audit/verify/fact-tables-turn';
import type { Find } from './decision-sources';
import type { OpenLine } from './forge';
import type { Source } from './source';

/** @param result the turn's own */
export function resultSources(
  { input, output }: Pick<Find, 'input' | 'output'>,
  result: (lines: OpenLine[]) => any,
): { [name: string]: Source } {
  const typed = (table: Source['table'], record: Source['record']): Source => ({ of: 'typed', table, record, only: true });
  return {
    'the call that gives the result': typed(factTables.ADMITTED_CALL, (lines) => output(lines, 'takeStep', 2).calls[0]),
    'a result that did not fit, in the next step': typed(
      factTables.CALL_OUTCOME,
      (lines) => input(lines, 'takeStep', 2).outcomes[0],
    ),
    'the outcome of the call that gave the result': typed(
      factTables.CALL_OUTCOME,
      (lines) => input(lines, 'endTurn').outcomes[0],
    ),
    'how a turn with a result was to end': typed(ofTurn.END_TURN_INPUT, (lines) => input(lines, 'endTurn')),
    'the result, as it was read at the end': typed(ofTurn.END_TURN_OUTPUT, (lines) => output(lines, 'endTurn')),
    "the result in the turn's result": typed(factTables.TURN_VIEW, result),
  };
}
