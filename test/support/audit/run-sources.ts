/** Where starts, steps, results and what a run hands on stand in the lines of samples: for test/support/audit/repeated-facts.ts. */
import {
  DENIALS,
  HOLD,
  NOTIFY_INPUT,
  COMPLETE_CALL_INPUT,
  COMPLETE_CALL_OUTPUT,
  RECONCILE_EFFECT_INPUT,
  RECONCILE_EFFECT_OUTPUT,
  RENEWED_POLICY,
  SETTLEMENT,
} from '../../../src/audit/verify/fact-tables-decisions';
import { IGNORED_SIGNAL, TURN_VIEW } from '../../../src/audit/verify/fact-tables';
import * as factTables from '../../../src/audit/verify/fact-tables-runs';
import { SEARCH_ATTRIBUTES } from '../../../src/audit/verify/fact-tables-turn';
import type { OpenLine } from './forge';
import { attributes, ofType, view } from './open-lines';
import type { Source } from './source';

interface Find {
  input(lines: OpenLine[], activity: string, nth?: number): any;
  output(lines: OpenLine[], activity: string, nth?: number): any;
  part(lines: OpenLine[], has: (body: any) => unknown): any;
}

const started = (lines: OpenLine[], nth = 0) => attributes(lines.filter(ofType('WORKFLOW_EXECUTION_STARTED'))[nth]!);
const argument = (lines: OpenLine[], nth = 0) => started(lines, nth).input.payloads[0].$;
const isStart = ({ first_execution_run_id }: any) => first_execution_run_id;

/** A field that is read and written in another place. */
const within = (get: () => unknown, set: (value: unknown) => void): PropertyDescriptor => ({ enumerable: true, get, set });
const valueIn = ({ data }: any): unknown => JSON.parse(Buffer.from(data as string, 'base64').toString());

/** The value of a payload, in its place. */
function payload(held: any): PropertyDescriptor {
  const set = (value: unknown) => {
    if ('$' in held) held.$ = value;
    else held.data = Buffer.from(JSON.stringify(value)).toString('base64');
  };
  return within(() => ('$' in held ? (held.$ as unknown) : valueIn(held)), set);
}

/** The event with which a run hands on to another, each field as what is compared of it. */
function handedOn(lines: OpenLine[]): any {
  const event = attributes(lines.find(ofType('WORKFLOW_EXECUTION_CONTINUED_AS_NEW'))!);
  const field = (held: any, name: string) => within(() => held[name] as unknown, (value) => void (held[name] = value)); // oxfmt-ignore
  return Object.defineProperties(
    {},
    {
      newExecutionRunId: field(event, 'newExecutionRunId'),
      workflowType: field(event.workflowType, 'name'),
      taskQueue: field(event.taskQueue, 'name'),
      input: payload(event.input.payloads[0]),
      memo: payload(event.memo.fields.holdfast_trace),
      searchAttributes: payload(event.searchAttributes.indexedFields.HoldfastState),
    },
  );
}

/** Search attributes with their values in place of the payloads: what is changed in one is changed there. */
function shown({ indexedFields }: any): any {
  // The state changes; a forgery of its own changes the last.
  const names = Object.keys(indexedFields as object).filter((name) => name !== 'HoldfastState');
  return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, payload(indexedFields[name])])));
}

export function runSources({ input, output, part }: Find): Record<string, Source> {
  const envelope = (lines: OpenLine[]) => part(lines, (body) => body.envelope).envelope;
  const of = (name: string, at: string, table: Source['table'], record: Source['record'], only = false) => ({
    [name]: { of: at, table, record, only },
  });
  return {
    ...of('the first line', 'waited', factTables.BUNDLE, ([first]) => first!.body),
    ...of("a turn's argument", 'spoken', factTables.TURN_INPUT, (lines) => argument(lines)),
    ...of("a sub-agent's argument", 'sub_agent', factTables.TURN_INPUT, (lines) => argument(lines, 1), true),
    ...of('the argument of a run that goes on', 'continued', factTables.TURN_INPUT, (lines) => argument(lines, 1), true),
    ...of("a direct call's argument", 'call', factTables.CALL_INPUT, (lines) => argument(lines)),
    ...of('the start in the transcript', 'bound', factTables.START_BODY, (lines) => part(lines, isStart)),
    ...of('the policy of a turn', 'bound', factTables.TURN_POLICY, (lines) => output(lines, 'takeStep').policy),
    ...of('what a step was told', 'next', factTables.TAKE_STEP_INPUT, (lines) => input(lines, 'takeStep')),
    ...of('what the next step was told', 'approval', factTables.TAKE_STEP_INPUT, (lines) => input(lines, 'takeStep', 1)),
    ...of('which card is shown again', 'continued', factTables.READ_CARD_INPUT, (lines) => input(lines, 'readCard')),
    ...of('the card that is shown again', 'continued', factTables.READ_CARD_OUTPUT, (lines) => output(lines, 'readCard')),
    ...of('the envelope of a result', 'approval', factTables.ENVELOPE, envelope),
    ...of('the metadata of an envelope', 'approval', factTables.ENVELOPE_METADATA, (lines) => envelope(lines).metadata),
    ...of('what a run hands on', 'continued', factTables.CONTINUED_AS_NEW, handedOn),
    ...of('what a conversation was compacted with', 'crowded', factTables.COMPACT_INPUT, (lines) => input(lines, 'compact')),
    ...of('how it was compacted', 'crowded', factTables.COMPACT_OUTPUT, (lines) => output(lines, 'compact')),
    ...of('what the store was to keep', 'set_aside', factTables.KEEP_SAID_INPUT, (lines) => input(lines, 'keepSaid')),
    ...of('where it is kept', 'set_aside', factTables.KEEP_SAID_OUTPUT, (lines) => output(lines, 'keepSaid')),
    ...of('what the store was to give back', 'set_aside', factTables.READ_SAID_INPUT, (lines) => input(lines, 'readSaid')),
    ...of('what it has given back', 'set_aside', factTables.READ_SAID_OUTPUT, (lines) => output(lines, 'readSaid')),
    ...of('which message was to be checked', 'steered', factTables.CHECK_STEER_INPUT, (lines) => input(lines, 'checkSteer')),
    ...of('whose message it is', 'steered', factTables.CHECK_STEER_OUTPUT, (lines) => output(lines, 'checkSteer')),
    ...of('what a turn would have begun with', 'session', factTables.TURN_BEGIN, (lines) => input(lines, 'endTurn').begin),
    ...of('what people were told', 'probed', NOTIFY_INPUT, (lines) => input(lines, 'notify')),
    ...of('what held a call back', 'approval', HOLD, (lines) => input(lines, 'admitCall', 1).held[0]),
    ...of('rules that have changed since', 'approval', RENEWED_POLICY, (lines) => output(lines, 'admitCall', 1).renewed),
    ...of('one of several settlements', 'in_doubt', SETTLEMENT, (lines) => input(lines, 'settleEffect').settlements[0]),
    ...of('what a probe was asked', 'probed', RECONCILE_EFFECT_INPUT, (lines) => input(lines, 'reconcileEffect')),
    ...of('what a probe has found', 'probed', RECONCILE_EFFECT_OUTPUT, (lines) => output(lines, 'reconcileEffect')),
    ...of('why a pending call was looked at', 'probed', COMPLETE_CALL_INPUT, (lines) => input(lines, 'completeCall')),
    ...of('how a pending call ended', 'probed', COMPLETE_CALL_OUTPUT, (lines) => output(lines, 'completeCall')),
    ...of('the search attributes', 'session_turn', SEARCH_ATTRIBUTES, (lines) => shown(started(lines).searchAttributes)),
    ...of('the search attributes that are set', 'approval', SEARCH_ATTRIBUTES, (lines) =>
      shown(attributes(lines.find(ofType('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES'))!).searchAttributes),
    ),
    ...of('a signal that changed nothing', 'continued', IGNORED_SIGNAL, (lines) => view(lines).ignored_signals.last[0]),
    ...of('how often the classifier has denied', 'probed', DENIALS, (lines) => input(lines, 'admitCall').undecided.denials),
    ...of("the turn's result after it was continued", 'continued', TURN_VIEW, view),
  };
}
