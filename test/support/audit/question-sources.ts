/** The places of questions that the model asks people, and of their answers: for test/support/audit/repeated-facts.ts. */
import * as factTables from '../../../src/audit/verify/fact-tables';
import * as ofDecisions from '../../../src/audit/verify/fact-tables-decisions';
import type { Find } from './decision-sources';
import type { OpenLine } from './forge';
import type { Source } from './source';

type Record = Source['record'];

/** @param result the turn's own */
export function questionSources({ input, output, part }: Find, result: (lines: OpenLine[]) => any): { [name: string]: Source } {
  const bare = (table: Source['table'], record: Record): Source => ({ of: 'answered', table, record, only: true });
  const signed = (table: Source['table'], record: Record): Source => ({ of: 'signed_answer', table, record, only: true });
  const ran: Record = (lines) => input(lines, 'runCall').approvals[0];
  const written: Record = (lines) => part(lines, ({ decision }) => decision === 'answer');
  return {
    'the question that the model asked': bare(factTables.ADMITTED_CALL, (lines) => output(lines, 'takeStep').calls[0]),
    'what people were asked for the model': bare(factTables.ADMIT_CALL_OUTPUT, (lines) => output(lines, 'admitCall')),
    'the answer that a worker was to check': bare(ofDecisions.CHECK_ANSWER_INPUT, (lines) => input(lines, 'checkAnswer')),
    'what it has found of the answer': bare(ofDecisions.CHECK_ANSWER_OUTPUT, (lines) => output(lines, 'checkAnswer')),
    'the answer that the question ran with': bare(ofDecisions.DECISION_SOURCE, ran),
    'the answer in the transcript': bare(factTables.DECISION, written),
    'how the question was run': bare(ofDecisions.RUN_CALL_INPUT, (lines) => input(lines, 'runCall')),
    'what became of the question': bare(factTables.RUN_CALL_OUTPUT, (lines) => output(lines, 'runCall')),
    'the outcome of the question': bare(factTables.CALL_OUTCOME, (lines) => input(lines, 'takeStep', 1).outcomes[0]),
    "the question in the turn's result": bare(factTables.CALL_VIEW, (lines) => result(lines).calls[0]),
    "its answer in the turn's result": bare(factTables.APPROVAL_VIEW, (lines) => result(lines).calls[0].approval),
    'the signed answer that a worker was to check': signed(ofDecisions.CHECK_ANSWER_INPUT, (lines) =>
      input(lines, 'checkAnswer'),
    ),
    'what it has found of the signed answer': signed(ofDecisions.CHECK_ANSWER_OUTPUT, (lines) => output(lines, 'checkAnswer')),
    'the signed answer that the question ran with': signed(ofDecisions.DECISION_SOURCE, ran),
    'the signed answer in the transcript': signed(factTables.DECISION, written),
  };
}
