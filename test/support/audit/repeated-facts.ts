/** Each fact that a bundle records twice, changed in one place at a time and signed by the stolen key. The verifier's own list, made from the types of the record, says which. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import * as factTables from '../../../src/audit/verify/fact-tables';
import * as below from '../../../src/audit/verify/fact-tables-sub-turns';
import * as ofDecisions from '../../../src/audit/verify/fact-tables-decisions';
import * as ofRuns from '../../../src/audit/verify/fact-tables-runs';
import * as ofTurn from '../../../src/audit/verify/fact-tables-turn';
import type { Table } from '../../../src/audit/verify/fact-tables';
import { sample, SAMPLES } from '../bundle-keys';
import { forged, opened, type OpenLine } from './forge';
import { decisionSources } from './decision-sources';
import { questionSources } from './question-sources';
import { OPEN_SOURCES } from './open-sources';
import { resultSources } from './result-sources';
import { runSources } from './run-sources';
import { another } from './another';
import type { Source } from './source';

const attributes = ({ body }: OpenLine): any =>
  Object.entries(body.event ?? {}).find(([key]) => key.endsWith('Attributes'))?.[1] ?? {};
const scheduled = (lines: OpenLine[], name: string, nth = 0) =>
  lines.filter((line) => attributes(line).activityType?.name === name)[nth]!;
const input = (lines: OpenLine[], name: string, nth = 0) => attributes(scheduled(lines, name, nth)).input.payloads[0].$;
const output = (lines: OpenLine[], name: string, nth = 0) => {
  const { eventId } = scheduled(lines, name, nth).body.event;
  const after = lines.slice(lines.indexOf(scheduled(lines, name, nth)));
  const done = after.find((line) => attributes(line).scheduledEventId === eventId && attributes(line).result)!;
  return attributes(done).result.payloads[0].$;
};
const ofSession = (lines: OpenLine[], name: string) =>
  lines.find(({ kind, body }) => kind === 'session' && `${name}EventAttributes` in body.event)!.body.event[
    `${name}EventAttributes`
  ];
const result = (lines: OpenLine[]) =>
  attributes(lines.find((line) => line.body.event?.workflowExecutionCompletedEventAttributes)!).result.payloads[0].$;
const part = (lines: OpenLine[], has: (body: any) => unknown) =>
  lines.find(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {}))!.body.part.body;
/** The last turn of a bundle is that of a sub-agent. */
const lastResult = (lines: OpenLine[]) =>
  attributes(lines.filter((line) => line.body.event?.workflowExecutionCompletedEventAttributes).at(-1)!).result.payloads[0].$;
const started = (lines: OpenLine[]) =>
  attributes(lines.find((line) => line.body.event?.startChildWorkflowExecutionInitiatedEventAttributes)!);
const isStart = (body: any) => body.first_execution_run_id;
const isUse = (body: any) => body.type === 'tool_use';
const dispatchBody = (lines: OpenLine[]) => part(lines, (body) => body.idempotency_key && body.approval);

/** What sub-agents' turns, and messages to a turn, are told of in the history of the turn that they are of. */
const OF_OTHERS: Record<string, Source> = {
  'a message that a step was given': {
    of: 'steered',
    table: below.STEER,
    record: (lines) => input(lines, 'takeStep', 1).steers[0],
  },
  "how a sub-agent's turn was opened": {
    of: 'sub_agent',
    table: below.OPEN_SUB_TURN_OUTPUT,
    record: (lines) => output(lines, 'openSubTurn'),
  },
  "the turn above a sub-agent's": {
    of: 'sub_agent',
    table: below.SUB_TURN_START,
    record: (lines) => started(lines).input.payloads[0].$.parent,
  },
  "how a sub-agent's turn was found": {
    of: 'sub_agent',
    table: below.SUB_TURN_REPORT,
    record: (lines) => output(lines, 'lookAtSubTurn'),
  },
  "the report by which a sub-agent's call was answered": {
    of: 'sub_agent',
    table: below.SUB_TURN_REPORT,
    record: (lines) => input(lines, 'closeSubTurn').report,
  },
  "a sub-agent's turn in the turn's result": {
    of: 'sub_agent',
    table: below.SUB_TURN_VIEW,
    record: (lines) => result(lines).sub_turns[0],
  },
  "the outcome of a sub-agent's call": {
    of: 'sub_agent',
    table: factTables.CALL_OUTCOME,
    record: (lines) => input(lines, 'takeStep', 1).outcomes[0],
  },
  'a decision that was passed on': {
    of: 'forwarded',
    table: below.FORWARD_DECISION_INPUT,
    record: (lines) => input(lines, 'forwardDecision'),
  },
  'a sub-agent that was opened': {
    of: 'forwarded',
    table: below.OPEN_SUB_TURN_INPUT,
    record: (lines) => input(lines, 'openSubTurn'),
  },
  'a sub-agent whose turn has ended': {
    of: 'forwarded',
    table: below.CLOSE_SUB_TURN_INPUT,
    record: (lines) => input(lines, 'closeSubTurn'),
  },
  'a direct call that ran': {
    of: 'call',
    table: ofDecisions.RUN_CALL_INPUT,
    record: (lines) => input(lines, 'runCall'),
  },
};

export const SOURCES: Record<string, Source> = {
  ...OF_OTHERS,
  ...OPEN_SOURCES,
  ...decisionSources({ input, output, part }),
  ...questionSources({ input, output, part }, result),
  ...resultSources({ input, output }, result),
  'the turn in the argument of an activity': {
    of: 'sub_agent',
    table: factTables.TURN_CONTEXT,
    record: (lines) => input(lines, 'takeStep', 1).turn,
  },
  'the turn that is bound to a store': {
    of: 'bound',
    table: factTables.TURN_CONTEXT,
    record: (lines) => input(lines, 'runCall').turn,
  },
  'the answer of a step': { of: 'bound', table: factTables.TAKE_STEP_OUTPUT, record: (lines) => output(lines, 'takeStep') },
  'the usage of a step': { of: 'approval', table: factTables.STEP_USAGE, record: (lines) => output(lines, 'takeStep').usage },
  'what the model asked for': {
    of: 'approval',
    table: factTables.ADMITTED_CALL,
    record: (lines) => output(lines, 'takeStep').calls[0],
  },
  'what people were asked': { of: 'bound', table: factTables.ADMIT_CALL_OUTPUT, record: (lines) => output(lines, 'admitCall') },
  'the call that ran': { of: 'bound', table: factTables.CALL_ARGUMENTS, record: (lines) => input(lines, 'runCall').call },
  'the call that was settled': {
    of: 'in_doubt',
    table: factTables.CALL_ARGUMENTS,
    record: (lines) => input(lines, 'settleEffect').call,
  },
  'what became of it': { of: 'approval', table: factTables.RUN_CALL_OUTPUT, record: (lines) => output(lines, 'runCall') },
  'what became of it when it was settled': {
    of: 'in_doubt',
    table: factTables.RUN_CALL_OUTPUT,
    record: (lines) => output(lines, 'settleEffect'),
  },
  'the outcome in the next step': {
    of: 'approval',
    table: factTables.CALL_OUTCOME,
    record: (lines) => input(lines, 'takeStep', 1).outcomes[0],
  },
  'how the turn was to end': { of: 'limit', table: ofTurn.END_TURN_INPUT, record: (lines) => input(lines, 'endTurn') },
  'how a direct call was answered': { of: 'call', table: ofTurn.END_TURN_OUTPUT, record: (lines) => output(lines, 'endTurn') },
  'the agent that began': { of: 'approval', table: ofTurn.STARTING_AGENT, record: (lines) => part(lines, isStart).agent },
  'a call in the answer': { of: 'approval', table: ofTurn.TOOL_USE, record: (lines) => part(lines, isUse) },
  "the result of a sub-agent's turn": { of: 'sub_agent', table: factTables.TURN_VIEW, record: lastResult },
  "the turn's result": { of: 'bound', table: factTables.TURN_VIEW, record: result },
  "a call in the turn's result": { of: 'approval', table: factTables.CALL_VIEW, record: (lines) => result(lines).calls[0] },
  "an approval in the turn's result": {
    of: 'approval',
    table: factTables.APPROVAL_VIEW,
    record: (lines) => result(lines).calls[0].approval,
  },
  'the decision that ran with the call': {
    of: 'approval',
    table: factTables.DECISION,
    record: (lines) => input(lines, 'runCall').approvals[0],
  },
  'the decision whose sender waited': {
    of: 'waited',
    table: factTables.DECISION,
    record: (lines) => input(lines, 'runCall').approvals[0],
  },
  'the decision in the transcript': {
    of: 'approval',
    table: factTables.DECISION,
    record: (lines) => part(lines, (body) => body.decision),
  },
  'the effect record': {
    of: 'approval',
    table: factTables.EFFECT_RECORD,
    record: (lines) => lines.find(({ kind }) => kind === 'effect')!.body.record,
  },
  'what a session asks about its turn': {
    of: 'spoken',
    table: factTables.LOOK_AT_TURN_INPUT,
    record: (lines) => ofSession(lines, 'activityTaskScheduled').input.payloads[0].$,
  },
  'how a session has found its turn': {
    of: 'spoken',
    table: factTables.LOOK_AT_TURN_OUTPUT,
    record: (lines) => ofSession(lines, 'activityTaskCompleted').result.payloads[0].$,
  },
  ...runSources({ input, output, part }),
  'the dispatch in the transcript': { of: 'approval', table: factTables.DISPATCH_BODY, record: dispatchBody },
  'the subject of a block': { of: 'approval', table: factTables.BLOCK_SUBJECT, record: (lines) => dispatchBody(lines).subject },
};

/** All tables of the verifier, by their names. */
export const TABLES: Record<string, Table> = Object.fromEntries(
  [factTables, below, ofDecisions, ofTurn, ofRuns]
    .flatMap((module) => Object.entries(module))
    .filter((one): one is [string, Table] => typeof one[1] === 'object' && !Array.isArray(one[1])),
);

/** A field of one source that is recorded elsewhere too. */
export interface Fact {
  name: string;
  source: Source;
  field: string;
  place: string;
}

export const FACTS: readonly Fact[] = Object.entries(SOURCES).flatMap(([name, source]) =>
  Object.entries(source.table).flatMap(([field, place]) =>
    place.startsWith('once.') ? [] : [{ name: `${name}: ${field}`, source, field, place }],
  ),
);

/** The fact of a table: several sources may have it. */
export function factOf({ source: { table }, field }: Pick<Fact, 'source' | 'field'>): string {
  const [name] = Object.entries(TABLES).find(([, one]) => one === table) ?? [Object.keys(table).join()];
  return `${name}.${field}`;
}

const NAMES = readdirSync(SAMPLES).filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl')); // oxfmt-ignore
const OPENED = new Map<string, Promise<OpenLine[]>>();

function openedLines(name: string): Promise<OpenLine[]> {
  const known = OPENED.get(name) ?? sample(name).then((text) => opened(text));
  OPENED.set(name, known);
  return known;
}

/** The record of a source; empty where there is no such activity, part or event. */
export function recordIn({ record }: Pick<Source, 'record'>, lines: OpenLine[]): any {
  try {
    return record(lines) ?? {};
  } catch {
    return {};
  }
}

/** The sample with the fact changed: its own, or the first that has it; null: there is none. */
export async function withChanged({ source: { of, record, only }, field, place }: Fact): Promise<Buffer | null> {
  const isThere = (lines: OpenLine[]) => {
    const held = recordIn({ record }, lines);
    // Null names nothing.
    return held[field] !== undefined && !(held[field] === null && /^(names|rule)\./.test(place));
  };
  for (const name of only === true ? [of] : [of, ...NAMES]) {
    if (!isThere(await openedLines(name))) continue;
    const { text } = forged(await sample(name), (lines) => {
      const held = record(lines);
      held[field] = another(held[field]);
    });
    return Buffer.from(text);
  }
  return null;
}
