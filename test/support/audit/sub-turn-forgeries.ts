/** Turns of sub-agents, changed in one place, under the stolen key. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { argument, attributes, bodies, first, ofType, result, scheduled, valueOf, type Plan } from './open-lines';

const INITIATED = ofType('START_CHILD_WORKFLOW_EXECUTION_INITIATED');
const STARTED = ofType('WORKFLOW_EXECUTION_STARTED');
const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const initiated = (lines: OpenLine[]): any => attributes(lines.find(INITIATED)!);
const childStarted = (lines: OpenLine[]): any => attributes(lines.filter(STARTED)[1]!);
const isChild: Plan['at'] = (line, _, lines) => line === lines.filter(STARTED)[1];
const isActivity = (name: string): Plan['at'] => first((line) => attributes(line).activityType?.name === name);
const outcome = (lines: OpenLine[]): any =>
  scheduled(lines, 'takeStep').flatMap((line) => valueOf(line).outcomes).find(({ sub_turn }) => sub_turn); // oxfmt-ignore
const isOutcome: Plan['at'] = (line) =>
  attributes(line).input?.payloads[0].$?.outcomes?.some?.(({ sub_turn }: any) => sub_turn) ?? false;
const shown = (lines: OpenLine[]): any => attributes(lines.find(COMPLETED)!).result.payloads[0].$.sub_turns[0];
const reports = (lines: OpenLine[]): any[] => [
  ...scheduled(lines, 'lookAtSubTurn').map((_, nth) => result(lines, 'lookAtSubTurn', nth)),
  argument(lines, 'closeSubTurn').report,
];
const listed = (lines: OpenLine[]): any => bodies(lines, ({ sub_turns }) => sub_turns)[0].sub_turns[0];
const isList = first((line, _, lines) => {
  const ref = lines.find(({ kind, body }) => kind === 'part' && body.part?.body?.sub_turns)!.body.ref as string;
  return line.kind === 'block' && line.body.block.parts[0] === ref;
});
const isEnd =
  (nth: number): Plan['at'] =>
  (line, _, lines) =>
    line === lines.filter(({ kind }) => kind === 'turn_end')[nth];
const held = (lines: OpenLine[], group: 'memo' | 'searchAttributes'): any => {
  const { fields, indexedFields } = initiated(lines)[group];
  return fields ?? indexedFields;
};
function setHeld(fields: any, name: string, said: string): void {
  if ('$' in fields[name]) fields[name].$ = said;
  else fields[name].data = Buffer.from(JSON.stringify(said)).toString('base64');
}
/** The argument of the child, as both histories have it. */
const begin = (lines: OpenLine[], change: (argument: any) => void): void => {
  change(initiated(lines).input.payloads[0].$);
  change(childStarted(lines).input.payloads[0].$);
};

const OF_STARTS: Plan[] = [
  ...(['agent', 'message', 'depth_left', 'within', 'limits'] as const).map((field): Plan => ({
    name: `another ${field} than a sub-agent's turn was opened with`,
    of: 'sub_agent',
    edit: (lines) => {
      const opened = result(lines, 'openSubTurn');
      const other = {
        agent: 'payer',
        message: 'Find another.',
        depth_left: 1,
        within: ['plan'],
        limits: { ...opened.limits, steps: 1 },
      };
      opened[field] = other[field];
    },
    at: INITIATED,
    rule: 'D1',
    says: new RegExp(`started with another ${field} than it was opened for`),
  })),
  ...(['digest', 'untrusted', 'head'] as const).map((field): Plan => ({
    name: `another ${field} of the call that a sub-agent's turn answers, in both arguments of it`,
    of: 'sub_agent',
    edit: (lines) => begin(lines, ({ parent }) => (parent[field] = field === 'untrusted' ? true : `${parent[field]}1`.slice(1))),
    at: INITIATED,
    rule: 'D1',
    says: new RegExp(`started with another ${field} than it was opened for`),
  })),
  {
    name: 'a sub-agent’s turn that no activity has opened',
    of: 'sub_agent',
    edit: (lines) => (argument(lines, 'openSubTurn').sub_turn_id += '2'),
    at: INITIATED,
    rule: 'D1',
    says: /that no activity has opened/,
  },
  ...(['HoldfastAgent', 'HoldfastRequester', 'HoldfastState'] as const).map((name): Plan => ({
    name: `another ${name} in the search attributes of the start of a sub-agent`,
    of: 'sub_agent',
    edit: (lines) => setHeld(held(lines, 'searchAttributes'), name, 'mallory'),
    at: INITIATED,
    rule: 'D1',
    says: new RegExp(`${name} in two ways`),
  })),
  {
    name: 'another trace in the memo of the start of a sub-agent',
    of: 'sub_agent',
    edit: (lines) => setHeld(held(lines, 'memo'), 'holdfast_trace', 'trace_another'),
    at: INITIATED,
    rule: 'D1',
    says: /trace_id in two ways/,
  },
  {
    name: 'a conversation before a sub-agent’s turn, in both arguments of it',
    of: 'sub_agent',
    edit: (lines) => begin(lines, (argument) => (argument.parent_head = 'e'.repeat(64))),
    at: INITIATED,
    rule: 'D1',
    says: /parent_head in two ways/,
  },
  {
    name: 'another workflow that has started a sub-agent’s turn',
    of: 'sub_agent',
    edit: (lines) => (childStarted(lines).parentWorkflowExecution.workflowId = 'turn/another'),
    at: isChild,
    rule: 'D1',
    says: /another workflow has started the turn/,
  },
  ...(['runId', 'parentInitiatedEventId'] as const).map((field): Plan => ({
    name: `another ${field} that has started a sub-agent's turn`,
    of: 'sub_agent',
    edit: (lines) => {
      const begun = childStarted(lines);
      if (field === 'runId') begun.parentWorkflowExecution.runId = begun.firstExecutionRunId;
      else begun.parentInitiatedEventId = '3';
    },
    at: isChild,
    rule: 'D1',
    says: /another run, or event of it, has started the turn/,
  })),
  {
    name: 'another turn above in the argument of an activity of a sub-agent’s turn',
    of: 'sub_agent',
    edit: (lines) => {
      for (const line of lines)
        if (attributes(line).activityType && valueOf(line).turn.parent) valueOf(line).turn.parent.depth_left = 7;
    },
    at: (line) => attributes(line).activityType !== undefined && valueOf(line).turn.parent !== undefined,
    rule: 'D1',
    says: /parent of the turn/,
  },
  {
    name: 'another turn above in the start block of a sub-agent’s turn',
    of: 'sub_agent',
    edit: (lines) => {
      for (const { parent } of bodies(lines, (body) => body.first_execution_run_id && body.parent)) parent.untrusted = true;
    },
    at: (line, _, lines) => line === lines.findLast(({ kind, body }) => kind === 'block' && body.block.kind === 'start'),
    rule: 'D1',
    says: /parent of the turn/,
  },
];

const OF_ENDS: Plan[] = [
  ...(['agent', 'state', 'reason', 'head'] as const).map((field): Plan => ({
    name: `another ${field} of a sub-agent's end, in all that the turn above was told`,
    of: 'sub_agent',
    edit: (lines) => {
      const { head } = initiated(lines).input.payloads[0].$.parent;
      const said = field === 'head' ? head : 'failed';
      for (const report of reports(lines)) report[field] = said;
      if (field !== 'reason') shown(lines)[field] = said;
      if (field === 'agent') initiated(lines).input.payloads[0].$.agent = result(lines, 'openSubTurn').agent = 'researcher';
      if (field === 'agent') shown(lines).agent = 'researcher';
      if (field === 'head') outcome(lines).sub_turn.head = listed(lines).head = head;
    },
    at: isEnd(1),
    rule: 'D6',
    says: /has ended otherwise than the turn above it was told/,
  })),
  {
    name: 'another usage of a sub-agent, in all that the turn above was told and has said',
    of: 'sub_agent',
    edit: (lines) => {
      for (const report of reports(lines)) report.spent.usage.output_tokens += 1;
      shown(lines).usage.output_tokens += 1;
      attributes(lines.find(COMPLETED)!).result.payloads[0].$.usage.output_tokens += 1;
    },
    at: isEnd(1),
    rule: 'D6',
    says: /has used something else than the turn above it was told/,
  },
  {
    name: 'another first run of a sub-agent’s turn, where it was looked at',
    of: 'sub_agent',
    edit: (lines) =>
      (result(lines, 'lookAtSubTurn').first_execution_run_id =
        initiated(lines).input.payloads[0].$.parent.first_execution_run_id),
    at: (line, _, lines) =>
      attributes(line).scheduledEventId === scheduled(lines, 'lookAtSubTurn')[0]!.body.event.eventId &&
      attributes(line).result !== undefined,
    rule: 'D6',
    says: /another run than Temporal has started/,
  },
  ...(['state', 'head', 'reason', 'agent'] as const).map((field): Plan => ({
    name: `another ${field} in the report by which a call was answered`,
    of: 'sub_agent',
    edit: (lines) => (argument(lines, 'closeSubTurn').report[field] = initiated(lines).input.payloads[0].$.parent.head),
    at: isActivity('closeSubTurn'),
    rule: 'D6',
    says: /another report of its turn than the last/,
  })),
  ...(['turn_id', 'workflow_id', 'first_execution_run_id', 'head'] as const).map((field): Plan => ({
    name: `another ${field} of the turn that has answered a call, in its outcome`,
    of: 'sub_agent',
    edit: (lines) => (outcome(lines).sub_turn[field] = initiated(lines).input.payloads[0].$.parent[field]),
    at: isOutcome,
    rule: 'D6',
    says: /another turn has answered the call/,
  })),
  {
    name: 'another call that a turn answered, in the transcript',
    of: 'sub_agent',
    edit: (lines) => (listed(lines).call_id = '2.1'),
    at: isList,
    rule: 'D6',
    says: /another turn has answered a call/,
  },
  {
    name: 'a turn that answered a call, and that the transcript does not have',
    of: 'sub_agent',
    edit: (lines) => {
      for (const body of bodies(lines, ({ sub_turns }) => sub_turns)) delete body.sub_turns;
    },
    at: isEnd(0),
    rule: 'T7',
    says: /that was written down/,
  },
  ...(['call_id', 'workflow_id', 'agent', 'state', 'head', 'usage', 'waiting'] as const).map((field): Plan => ({
    name: `another ${field} of a turn below, in the result of the turn`,
    of: 'sub_agent',
    edit: (lines) => {
      const other = { usage: { ...shown(lines).usage, output_tokens: 1 }, waiting: [{}] };
      shown(lines)[field] = field === 'usage' || field === 'waiting' ? other[field] : 'another';
    },
    at: first(COMPLETED),
    rule: 'D6',
    says: new RegExp(`another ${field} of turn`),
  })),
];

const passed = (lines: OpenLine[]) => argument(lines, 'forwardDecision');
const isPassed: Plan['at'] = (line) => /:\d+$/.test(attributes(line).acceptedRequest?.meta.updateId ?? '');
const OF_DECISIONS: Plan[] = [
  {
    name: 'another note of a decision that came through the turn above, where it was passed on',
    of: 'forwarded',
    edit: (lines) => {
      passed(lines).body.note = 'Not as agreed.';
      const sent = lines.find((line) => attributes(line).acceptedRequest && !isPassed(line, 0, lines))!;
      attributes(sent).acceptedRequest.input.args.payloads[0].$.note = 'Not as agreed.';
    },
    at: isPassed,
    rule: 'H9',
    says: /another than that one has passed on/,
  },
  {
    name: 'another sender of a decision that came through the turn above',
    of: 'forwarded',
    edit: (lines) => (passed(lines).identity = 'mallory'),
    at: isPassed,
    rule: 'H9',
    says: /another than that one has passed on/,
  },
  {
    name: 'a decision that was taken below, by the turn above, and that no update there has',
    of: 'forwarded',
    edit: (lines) => {
      const line = lines.find((one) => isPassed(one, 0, lines))!;
      attributes(line).acceptedRequest.meta.updateId = 'another';
    },
    at: isEnd(1),
    rule: 'H9',
    says: /a decision was taken here, and no update here has it/,
  },
];

export const SUB_TURN_PLANS: readonly Plan[] = [...OF_STARTS, ...OF_ENDS, ...OF_DECISIONS];
