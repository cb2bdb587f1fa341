/** Facts that a turn as a whole and its steps record twice, changed in one place, under the stolen key. With those of forgeries.ts. */
import { hashJson } from '../../../src/shared/json/digests';
import type { Json } from '../../../src/shared/json/json';
import type { OpenLine } from './forge';
import {
  activity,
  answer,
  argument,
  attributes,
  block,
  bodies,
  ofType,
  payload,
  result,
  scheduled as all,
  valueOf as value,
  view,
  type Find,
  type Plan,
} from './open-lines';

const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const STARTED = ofType('WORKFLOW_EXECUTION_STARTED');
const body = (lines: OpenLine[], has: (body: any) => unknown) => bodies(lines, has)[0];

/** A part that has these fields. */
const part =
  (has: (body: any) => unknown): Find =>
  (line) =>
    line.kind === 'part' && Boolean(has(line.body.part?.body ?? {}));

const isUse = ({ type }: any) => type === 'tool_use';
const isText = (said: string) => (it: any) => it.type === 'text' && it.text === said;
const isStart = ({ first_execution_run_id }: any) => first_execution_run_id;
const isEnd = (it: any) => it.state && 'reason' in it;
const isAdmitted = ({ asked }: any) => asked !== undefined;

/** A search attribute, or a field of the memo, of the first event. */
function starts(lines: OpenLine[], group: 'searchAttributes' | 'memo', name: string, said: Json): void {
  const { indexedFields, fields } = attributes(lines.find(STARTED)!)[group];
  const held = (indexedFields ?? fields)[name];
  if ('$' in held) held.$ = said;
  else held.data = payload(said);
}

/** Sets the requested message in the memo. */
export function requested(lines: OpenLine[]): void {
  const { agent, message, session_id, tool, input_json, options } = value(lines.find(STARTED)!);
  const asked: Json = input_json === undefined ? { agent, message, session_id } : { agent, tool, input_json, options };
  starts(lines, 'memo', 'holdfast_request', hashJson(asked));
}

/** Everything that records how the turn ended, except the kind of the event that ends it. */
function endedAs(lines: OpenLine[], state: string): void {
  argument(lines, 'endTurn').state = state;
  body(lines, isEnd).state = state;
  shownState(lines, state);
}
function shownState(lines: OpenLine[], state: string): void {
  const last = lines.filter(ofType('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES')).at(-1)!;
  attributes(last).searchAttributes.indexedFields.HoldfastState.data = payload(state);
}
/** The form of an older build, which did not tell a step the class of a call. */
function allRefused(lines: OpenLine[], said: boolean): void {
  const told = argument(lines, 'takeStep', 1);
  delete told.outcomes[0].class;
  told.all_refused = said;
  view(lines).state = body(lines, isEnd).state = said ? 'refused' : 'completed';
  shownState(lines, view(lines).state);
}

const OF_TEXTS: Plan[] = [
  {
    name: 'another answer in the result of the turn',
    of: 'approval',
    edit: (lines) => (view(lines).text = 'Nothing was paid.'),
    at: COMPLETED,
    rule: 'D1',
    says: /another text than the last step/,
  },
  {
    name: 'an answer in the result of the turn that looks shortened',
    of: 'approval',
    edit: (lines) => (view(lines).text = 'P…'),
    at: COMPLETED,
    rule: 'D1',
    says: /another text/,
  },
  {
    name: 'another answer in the transcript',
    of: 'approval',
    edit: (lines) => (body(lines, isText('Paid.')).text = 'Nothing was paid.'),
    at: block('admission', 1),
    rule: 'D2',
    says: /text of the step/,
  },
  {
    name: 'another answer in the history',
    of: 'approval',
    edit: (lines) => (view(lines).text = result(lines, 'takeStep', 1).text = 'Nothing was paid.'),
    at: block('admission', 1),
    rule: 'D2',
    says: /text of the step/,
  },
  {
    name: 'words where the model said nothing',
    of: 'approval',
    edit: (lines) => (result(lines, 'takeStep').text = 'I pay it now.'),
    at: block('admission'),
    rule: 'D2',
    says: /text of the step/,
  },
  {
    name: 'more steps than there were',
    of: 'approval',
    edit: (lines) => (view(lines).step = 7),
    at: COMPLETED,
    rule: 'D1',
    says: /step 7, and the history has 2/,
  },
  {
    name: 'a step under another number',
    of: 'approval',
    edit: (lines) => (argument(lines, 'takeStep', 1).step = 3),
    at: (line) => all([line], 'takeStep').length === 1 && value(line).step === 3,
    rule: 'D1',
    says: /step 3 after 1 steps/,
  },
];

const OF_USAGE: Plan[] = [
  ...['input_tokens', 'output_tokens', 'cache_read_tokens', 'cost_usd'].map((field) => ({
    name: `another sum of ${field} in the result of the turn`,
    of: 'approval',
    edit: (lines: OpenLine[]) => (view(lines).usage[field] += 1),
    at: COMPLETED,
    rule: 'D1',
    says: /the steps have used/,
  })),
  {
    name: 'tokens without a price that no step has used',
    of: 'approval',
    edit: (lines) => (view(lines).usage.unpriced_tokens = 1),
    at: COMPLETED,
    rule: 'D1',
    says: /unpriced_tokens 1, and the steps have used 0/,
  },
  {
    name: 'another cost of a step',
    of: 'approval',
    edit: (lines) => (result(lines, 'takeStep').usage.cost_usd = 0.5),
    at: COMPLETED,
    rule: 'D1',
    says: /cost_usd 0, and the steps have used 0.5/,
  },
  {
    name: 'another usage of a sub-agent, where its end was looked at',
    of: 'sub_agent',
    edit: (lines) => {
      for (const line of all(lines, 'lookAtSubTurn').keys()) result(lines, 'lookAtSubTurn', line).spent.usage.output_tokens = 1;
      argument(lines, 'closeSubTurn').report.spent.usage.output_tokens = 1;
      view(lines).sub_turns[0].usage.output_tokens = 1;
    },
    at: COMPLETED,
    rule: 'D1',
    says: /output_tokens 40, and the steps have used 21/,
  },
];

const OF_ENDS: Plan[] = [
  {
    name: 'a state in which no turn ends after calls without a result',
    of: 'limit',
    edit: (lines) => (argument(lines, 'endTurn').state = 'completed'),
    at: answer('endTurn'),
    rule: 'D6',
    says: /come to its end after calls/,
  },
  {
    name: 'another state that was to be written at the end',
    of: 'limit',
    edit: (lines) => (argument(lines, 'endTurn').state = 'cancelled'),
    at: COMPLETED,
    rule: 'D1',
    says: /state of the run/,
  },
  {
    name: 'another reason that was to be written at the end',
    of: 'limit',
    edit: (lines) => (argument(lines, 'endTurn').reason = 'It was enough.'),
    at: COMPLETED,
    rule: 'D1',
    says: /reason of the run/,
  },
  {
    name: 'another time of the end than was to be written',
    of: 'limit',
    edit: (lines) => {
      const { block } = lines.filter(({ kind }) => kind === 'block').at(-1)!.body;
      block.at = new Date(Date.parse(block.at) + 1).toISOString();
    },
    at: block('end'),
    rule: 'D6',
    says: /at of the block/,
  },
  {
    name: 'a turn that was cancelled, and whose transcript says that it was completed',
    of: 'cancelled',
    edit: (lines) => (body(lines, isEnd).state = 'completed'),
    at: block('end'),
    rule: 'D6',
    says: /state of the block/,
  },
  {
    name: 'a turn that was cancelled, and all but Temporal says that it failed',
    of: 'cancelled',
    edit: (lines) => endedAs(lines, 'failed'),
    at: ofType('WORKFLOW_EXECUTION_CANCELED'),
    rule: 'D1',
    says: /the end of the workflow says that state/i,
  },
  {
    name: 'a turn that failed, and that completed for Temporal',
    of: 'limit',
    edit: (lines) => {
      endedAs(lines, 'failed');
      view(lines).state = 'failed';
    },
    at: COMPLETED,
    rule: 'D1',
    says: /Temporal has another end/,
  },
  {
    name: 'another answer to a direct call, where its end was written',
    of: 'call',
    edit: (lines) => (result(lines, 'endTurn').envelope.data.paid = false),
    at: COMPLETED,
    rule: 'D1',
    says: /envelope of the run/,
  },
  {
    name: 'every destructive call was refused, by the record of the last step',
    of: 'approval',
    edit: (lines) => (argument(lines, 'takeStep', 1).all_refused = true),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /of whether all that might take effect was refused/,
  },
  {
    name: 'every destructive call was refused, in all places but the record of the last step',
    of: 'plain',
    edit: (lines) => {
      view(lines).state = body(lines, isEnd).state = 'refused';
      shownState(lines, 'refused');
    },
    at: COMPLETED,
    rule: 'D6',
    says: /state of the block is "refused"/,
  },
  {
    name: 'every destructive call was refused, by the end block of a turn that has not closed',
    of: 'plain',
    edit: (lines) => {
      const last = lines.findIndex(COMPLETED);
      lines.splice(last, 1);
      body(lines, isEnd).state = 'refused';
      Object.assign(lines.find(({ kind }) => kind === 'turn_end')!.body, { complete: false, why: 'It runs.' });
      lines.at(-1)!.body.complete = false;
    },
    at: block('end'),
    rule: 'D6',
    says: /state of the block is "refused"/,
  },
  {
    name: 'every destructive call was refused, in all places but the calls of the result',
    of: 'approval',
    edit: (lines) => allRefused(lines, true),
    at: COMPLETED,
    rule: 'D6',
    says: /says "refused", and its calls do not say so/,
  },
  {
    name: 'not every destructive call was refused, in all places but the calls of the result',
    of: 'denied',
    edit: (lines) => allRefused(lines, false),
    at: COMPLETED,
    rule: 'D6',
    says: /says "completed", and its calls do not say so/,
  },
  {
    name: 'another state in the search attribute',
    of: 'approval',
    edit: (lines) => shownState(lines, 'refused'),
    at: COMPLETED,
    rule: 'D1',
    says: /its search attribute says "refused"/,
  },
];

const OF_STARTS: Plan[] = [
  ...(['HoldfastAgent', 'HoldfastRequester', 'HoldfastSession'] as const).map((name) => ({
    name: `another ${name} in the search attributes`,
    of: 'session_turn',
    edit: (lines: OpenLine[]) => starts(lines, 'searchAttributes', name, 'mallory'),
    at: STARTED,
    rule: 'D1',
    says: new RegExp(`a search attribute says that ${name}`, 'i'),
  })),
  ...(['holdfast_trace', 'holdfast_request'] as const).map((name) => ({
    name: `another ${name} in the memo`,
    of: 'approval',
    edit: (lines: OpenLine[]) => starts(lines, 'memo', name, hashJson('another')),
    at: STARTED,
    rule: 'D1',
    says: /of the turn is/,
  })),
  {
    name: 'another message in the memo of a session’s turn',
    of: 'spoken',
    edit: (lines) => {
      const { holdfast_of_session } = attributes(lines.find(STARTED)!).memo.fields;
      starts(lines, 'memo', 'holdfast_of_session', { ...holdfast_of_session.$, message_hash: hashJson('another') });
    },
    at: STARTED,
    rule: 'D1',
    says: /message_hash of the turn/,
  },
  {
    name: 'another state than the run before handed on',
    of: 'continued',
    edit: (lines) => (value(lines.filter(STARTED)[1]!).parent_head = 'e'.repeat(64)),
    at: (line, _, lines) => line === lines.filter(STARTED)[1],
    rule: 'D1',
    says: /another argument than the run before it/,
  },
  {
    name: 'another message to a sub-agent, in the history of the turn above it',
    of: 'sub_agent',
    edit: (lines) => {
      result(lines, 'openSubTurn').message = 'Find another.';
      value(lines.find(ofType('START_CHILD_WORKFLOW_EXECUTION_INITIATED'))!).message = 'Find another.';
    },
    at: (line, _, lines) => line === lines.filter(STARTED)[1],
    rule: 'D1',
    says: /another argument than the history of the turn above/,
  },
  {
    name: 'another answer of a sub-agent, in the history of the turn above it',
    of: 'sub_agent',
    edit: (lines) =>
      (attributes(lines.find(ofType('CHILD_WORKFLOW_EXECUTION_COMPLETED'))!).result.payloads[0].$.text = 'Nothing.'),
    at: (line, _, lines) => line === lines.filter(COMPLETED)[1],
    rule: 'D1',
    says: /another result than the history of the turn above/,
  },
  {
    name: 'another prompt at the start',
    of: 'approval',
    edit: (lines) => (body(lines, isStart).agent.prompt_hash = hashJson('another')),
    at: block('start'),
    rule: 'D1',
    says: /another prompt than its agent's definition/,
  },
  {
    name: 'another tool at the start',
    of: 'approval',
    edit: (lines) => body(lines, isStart).agent.tools.push('bash@1.0.0'),
    at: block('start'),
    rule: 'D1',
    says: /another list of tools/,
  },
  {
    name: 'another prompt in the definition',
    of: 'plain',
    edit: (lines) => {
      for (const { kind, body } of lines) if (kind === 'object' && body.value.prompt) body.value.prompt = 'You pay nobody.';
    },
    at: block('start'),
    rule: 'D1',
    says: /another prompt/,
  },
  {
    name: 'other rules at the start',
    of: 'approval',
    edit: (lines) => {
      const start = body(lines, isStart);
      start.policy_ref = start.definition_ref;
    },
    at: block('start'),
    rule: 'D1',
    says: /policy_ref of the turn/,
  },
];

const OF_USES: Plan[] = [
  {
    name: 'another input in the answer than was admitted',
    of: 'approval',
    edit: (lines) => (body(lines, isUse).input.cents = 3),
    at: block('admission'),
    rule: 'D2',
    says: /another input than the one that was admitted/,
  },
  {
    name: 'another requested input than was admitted',
    of: 'approval',
    edit: (lines) => {
      body(lines, isUse).input.cents = 3;
      body(lines, isAdmitted).asked = '{"cents":3,"invoice":"INV-7"}';
    },
    at: part(isAdmitted),
    rule: 'D2',
    says: /admitted with another input/,
  },
  {
    name: 'a field that was never requested, and that is no default',
    of: 'approval',
    edit: (lines) => {
      body(lines, isUse).input = { invoice: 'INV-7' };
      body(lines, isAdmitted).asked = '{"invoice":"INV-7"}';
    },
    at: part(isAdmitted),
    rule: 'D2',
    says: /admitted with another input/,
  },
  {
    name: 'a requested field is lost',
    of: 'approval',
    edit: (lines) => {
      body(lines, isUse).input.note = 'not yet';
      body(lines, isAdmitted).asked = '{"cents":700,"invoice":"INV-7","note":"not yet"}';
    },
    at: part(isAdmitted),
    rule: 'D2',
    says: /admitted with another input/,
  },
  ...(['id', 'name'] as const).map((field) => ({
    name: `another ${field} of a call in the answer`,
    of: 'approval',
    edit: (lines: OpenLine[]) => (body(lines, isUse)[field] = 'another'),
    at: block('admission'),
    rule: 'D2',
    says: /Another call was admitted/,
  })),
  {
    name: 'a call of the answer that was not admitted',
    of: 'parallel',
    edit: (lines) => {
      const use = lines.find(part(isUse))!.body.ref;
      const answer = lines.find(({ kind, body }) => kind === 'block' && body.block.parts.includes(use))!;
      answer.body.block.parts.push(use);
    },
    at: block('admission'),
    rule: 'D2',
    says: /Other calls were admitted/,
  },
  {
    name: 'calls that no answer asks for',
    of: 'approval',
    edit: (lines) => {
      const role = bodies(lines, (it) => it.role === 'assistant')[0];
      role.role = 'user';
    },
    at: block('admission'),
    rule: 'D2',
    says: /Other calls were admitted/,
  },
];

export const TURN_PLANS: readonly Plan[] = [...OF_TEXTS, ...OF_USAGE, ...OF_ENDS, ...OF_STARTS, ...OF_USES];
