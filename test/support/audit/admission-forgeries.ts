/** Facts that steps repeat about calls, cards, and what a run shows of itself, changed in one place, under the stolen key. With those of forgeries.ts. */
import type { Json } from '../../../src/shared/json/json';
import type { OpenLine } from './forge';
import { activity, answer, argument, attributes, block, bodies, nextRun, ofType, payload, result, type Plan } from './open-lines';

const SET = ofType('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES');
const CANCELED = ofType('WORKFLOW_EXECUTION_CANCELED');
const HANDED_ON = ofType('WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
const HASH = 'f'.repeat(64);

const firstCall = (lines: OpenLine[]): any => result(lines, 'takeStep').calls[0];
const nth =
  (is: (line: OpenLine) => boolean, which: number): Plan['at'] =>
  (line, _, lines) =>
    line === lines.filter(is)[which];
/** Of the nth event that sets some. */
const shown = (lines: OpenLine[], which: number): any => attributes(lines.filter(SET)[which]!).searchAttributes.indexedFields;
const shows = (lines: OpenLine[], which: number, tools: Json) => void (shown(lines, which).HoldfastTool.data = payload(tools));

const OF_STEPS: Plan[] = [
  ...['plain', 'sub_agent', 'forwarded'].map((of) => ({
    name: `another digest of a call that a step lets run (${of})`,
    of,
    edit: (lines: OpenLine[]) => (firstCall(lines).digest = HASH),
    at: answer('takeStep'),
    rule: 'D2',
    says: /a digest that is not its own/,
  })),
  {
    name: 'no digest of a call that a step lets run',
    of: 'plain',
    edit: (lines) => (firstCall(lines).digest = null),
    at: answer('takeStep'),
    rule: 'D2',
    says: /said to need no further admission, and has no digest/,
  },
  ...['plain', 'approval'].map((of) => ({
    name: `another needs_admit of a call in a step (${of})`,
    of,
    edit: (lines: OpenLine[]) => (firstCall(lines).needs_admit = of === 'plain'),
    at: answer('takeStep'),
    rule: 'D2',
    says: /said to need no further admission/,
  })),
  {
    name: 'a direct call that needs no further admission, by its step',
    of: 'call',
    edit: (lines) => (result(lines, 'admitDirect').call.needs_admit = false),
    at: answer('admitDirect'),
    rule: 'D2',
    says: /said to need no further admission/,
  },
  ...([null, 'mallory'] as const).map((sub_agent) => ({
    name: `a call that ${sub_agent ?? 'no agent'} answers, by its step`,
    of: 'sub_agent',
    edit: (lines: OpenLine[]) => (firstCall(lines).sub_agent = sub_agent),
    at: block('admission'),
    rule: 'D2',
    says: /answered by another agent/,
  })),
  {
    name: 'a function’s call that an agent answers, by its step',
    of: 'plain',
    edit: (lines) => (firstCall(lines).sub_agent = 'mallory'),
    at: block('admission'),
    rule: 'D2',
    says: /answered by another agent/,
  },
  ...(['version', 'tool'] as const).map((field) => ({
    name: `another ${field} of a call without a digest, in its outcome`,
    of: 'denied',
    edit: (lines: OpenLine[]) => void Object.assign(argument(lines, 'takeStep', 1).outcomes[0], { digest: null, [field]: '9' }),
    at: activity('takeStep', 1),
    rule: 'D2',
    says: new RegExp(`${field} of what the model asked for.*otherwise`),
  })),
  ...(['version', 'tool', 'class'] as const).map((field) => ({
    name: `people are asked about another ${field} than that of the call`,
    of: 'denied',
    edit: (lines: OpenLine[]) => void (argument(lines, 'admitCall').call[field] = '9'),
    at: activity('admitCall'),
    rule: 'D2',
    says: new RegExp(`${field} of what the model asked for.*otherwise`),
  })),
  {
    name: 'a card that names another call, in every place',
    of: 'approval',
    edit: (lines) => {
      const asked = result(lines, 'admitCall');
      const [part] = bodies(lines, ({ card }) => card === asked.card);
      asked.card = part.card = (asked.card as string).replaceAll(asked.digest as string, HASH);
    },
    at: answer('admitCall'),
    rule: 'D3',
    says: /does not name the digest of its call/,
  },
];

const OF_ATTRIBUTES: Plan[] = [
  {
    name: 'a search attribute that names a waiting tool which no step has asked for',
    of: 'approval',
    edit: (lines) => shows(lines, 0, ['pay', 'refund']),
    at: nth(SET, 0),
    rule: 'D1',
    says: /"refund", which no step has asked for/,
  },
  {
    name: 'a search attribute that names no waiting tool while a call waits',
    of: 'approval',
    edit: (lines) => shows(lines, 0, []),
    at: nth(SET, 0),
    rule: 'D1',
    says: /"awaiting_approval", and its search attribute names 0 tools/,
  },
  {
    name: 'a search attribute that names a waiting tool while nothing waits',
    of: 'approval',
    edit: (lines) => shows(lines, 1, ['pay']),
    at: nth(SET, 1),
    rule: 'D1',
    says: /"running", and its search attribute names 1 tools/,
  },
  ...(
    [
      ['memo', 'fields', 'holdfast_trace'],
      ['searchAttributes', 'indexedFields', 'HoldfastState'],
      ['searchAttributes', 'indexedFields', 'HoldfastTool'],
    ] as const
  ).map(([group, of, name]) => ({
    name: `another ${name} that a run hands on`,
    of: 'continued',
    edit: (lines: OpenLine[]) => {
      const held = attributes(lines.find(HANDED_ON)!)[group][of][name];
      if ('$' in held) held.$ = 'another';
      else held.data = payload('another');
    },
    at: nextRun,
    rule: 'D1',
    says: new RegExp(`another ${name} than the run before it has handed on`),
  })),
];

/** A turn that was cancelled has no result; one that is made up is looked at like any other. */
const cancelledWith = (name: string, says: RegExp, view: (lines: OpenLine[]) => object): Plan => ({
  name: `a result of a cancelled turn with ${name}`,
  of: 'cancelled',
  edit: (lines) => {
    const details = { calls: [], state: 'cancelled', pending: [], ...view(lines) };
    attributes(lines.find(CANCELED)!).details = { payloads: [{ $: details }] };
  },
  at: (line) => CANCELED(line),
  rule: 'D1',
  says,
});

const OF_CANCELLED: Plan[] = [
  cancelledWith('a call that waits', /no such call waits/, () => ({ pending: [HASH] })),
  cancelledWith('another beginning', /its first task began otherwise/, () => ({ started_at: '2020-01-01T00:00:00.000Z' })),
  cancelledWith('another number of steps', /says step 7/, () => ({ step: 7 })),
];

export const ADMISSION_PLANS: readonly Plan[] = [...OF_STEPS, ...OF_ATTRIBUTES, ...OF_CANCELLED];
