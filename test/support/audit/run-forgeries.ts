/** Facts that the server's own events, the turn's result and the agent's definition repeat, changed in one place, under the stolen key. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import {
  activity,
  answer,
  argument,
  attributes,
  block,
  later,
  nextRun,
  ofType,
  result,
  scheduled as all,
  view,
  type Find,
  type Plan,
} from './open-lines';

const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const HANDED_ON = ofType('WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
const ENDS: Find = ({ kind }) => kind === 'turn_end';

const body = (lines: OpenLine[], has: (body: any) => unknown): any =>
  lines.find(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {}))!.body.part.body;

const isHeader = ({ server_tools }: any) => server_tools !== undefined;

const OF_BUNDLES: Plan[] = [
  {
    name: 'a bundle that names another agent',
    of: 'approval',
    edit: ([first]) => (first!.body.agent = 'another'),
    at: ENDS,
    rule: 'D1',
    says: /first line says that agent of the turn/,
  },
  {
    name: 'a bundle that names another tenant',
    of: 'waited',
    edit: ([first]) => (first!.body.tenant = 'another'),
    at: ENDS,
    rule: 'D1',
    says: /first line says that tenant of the turn/,
  },
  {
    name: 'a bundle that names another turn',
    of: 'approval',
    edit: ([first]) => (first!.body.subject.id = 'another'),
    at: ENDS,
    rule: 'D1',
    says: /of another turn than it says/,
  },
  {
    name: 'a bundle that names another session',
    of: 'session',
    edit: ([first]) => (first!.body.subject.id = 'another'),
    at: ENDS,
    rule: 'D1',
    says: /session_id of the turn/,
  },
];

const OF_TIMES: Plan[] = [
  ...[
    ['approval', 'runCall'],
    ['call', 'admitDirect'],
    ['bound', 'checkDecision'],
  ].map(([of, name]) => ({
    name: `another time at which ${name} was scheduled`,
    of: of!,
    edit: (lines: OpenLine[]) => {
      const told = argument(lines, name!);
      told.at = later(told.at);
    },
    at: activity(name!),
    rule: 'D1',
    says: /the workflow's clock says otherwise/,
  })),
  ...(['started_at', 'ended_at'] as const).map((field) => ({
    name: `another ${field} in the result of the turn`,
    of: 'approval',
    edit: (lines: OpenLine[]) => (view(lines)[field] = later(view(lines)[field])),
    at: COMPLETED,
    rule: 'D1',
    says: field === 'started_at' ? /its first task began otherwise/ : /when its workflow did nothing/,
  })),
];

const OF_RUNS: Plan[] = [
  {
    name: 'a step that goes on from an older block',
    of: 'approval',
    edit: (lines) => (argument(lines, 'takeStep', 1).head = result(lines, 'takeStep').head),
    at: activity('takeStep', 1),
    rule: 'D1',
    says: /another block than the last/,
  },
  ...(['newExecutionRunId', 'workflowType', 'taskQueue'] as const).map((field) => ({
    name: `another ${field} of the run that continues`,
    of: 'continued',
    edit: (lines: OpenLine[]) => {
      const handed = attributes(lines.find(HANDED_ON)!);
      handed[field] = typeof handed[field] === 'string' ? 'another' : { ...handed[field], name: 'another' };
    },
    at: nextRun,
    rule: 'D1',
    says: /than the run before it says/,
  })),
  {
    name: 'a card that is shown in a run that does not exist',
    of: 'continued',
    edit: (lines) => (result(lines, 'readCard').run_id = 'another'),
    at: answer('readCard'),
    rule: 'D3',
    says: /shown in a run that the turn does not have/,
  },
  {
    name: 'a decision that was given in another run, by its record',
    of: 'continued',
    edit: (lines) => {
      const { run_id, given_in } = argument(lines, 'runCall').approvals[0];
      const renamed = JSON.stringify(lines).replaceAll(`"given_in":"${given_in}"`, `"given_in":"${run_id}"`);
      lines.splice(0, lines.length, ...(JSON.parse(renamed) as OpenLine[]));
    },
    at: activity('runCall'),
    rule: 'H9',
    says: /given in another run/,
  },
];

const OF_CALLS: Plan[] = [
  {
    name: 'another summary of an activity',
    of: 'approval',
    edit: (lines) => (all(lines, 'runCall')[0]!.body.event.userMetadata.summary.$ = 'read lookup@1.0.0, call 1.1'),
    at: activity('runCall'),
    rule: 'D4',
    says: /it runs another call/,
  },
  {
    name: 'another time limit of a call, as its step has answered',
    of: 'approval',
    edit: (lines) => (result(lines, 'takeStep').calls[0].timeout_ms += 1000),
    at: activity('runCall'),
    rule: 'D2',
    says: /timeout_ms/,
  },
  {
    name: 'another time limit of a call, as the server was told',
    of: 'approval',
    edit: (lines) => (attributes(all(lines, 'runCall')[0]!).startToCloseTimeout = '7s'),
    at: activity('runCall'),
    rule: 'D2',
    says: /timeout_ms/,
  },
  {
    name: 'a call that may be repeated, by its step',
    of: 'bound',
    edit: (lines) => (result(lines, 'takeStep').calls[0].idempotent = true),
    at: block('admission'),
    rule: 'D2',
    says: /whether it may be repeated/,
  },
];

const OF_STEPS: Plan[] = [
  ...(
    [
      ['max_parallel', 'bound'],
      ['approval_expiry_ms', 'plain'], // where people are asked, what they are told follows from it
    ] as const
  ).map(([field, of]) => ({
    name: `another ${field} of a turn, as its step has answered`,
    of,
    edit: (lines: OpenLine[]) => (result(lines, 'takeStep').policy[field] += 1),
    at: block('admission'),
    rule: 'D1',
    says: new RegExp(`another ${field}`),
  })),
  {
    name: 'another limit of a direct call, as its admission has answered',
    of: 'call',
    edit: (lines) => (result(lines, 'admitDirect').policy.limits.cost_usd = 1e6),
    at: block('admission'),
    rule: 'D1',
    says: /another limits/,
  },
  {
    name: 'a step whose calls are not to be run',
    of: 'approval',
    edit: (lines) => (result(lines, 'takeStep').next = 'continue'),
    at: answer('takeStep'),
    rule: 'D2',
    says: /its calls are to be run/,
  },
  {
    name: "a use of one of the vendor's own tools that the answer does not have",
    of: 'approval',
    edit: (lines) => body(lines, isHeader).server_tools.push({ name: 'web_search', id: 'srvtoolu_1' }),
    at: block('admission'),
    rule: 'D2',
    says: /the vendor's own tools/,
  },
];

const resultOf = (name: string, of: string, says: RegExp, edit: (view: any) => void, rule = 'D1'): Plan => ({
  name,
  of,
  edit: (lines) => edit(view(lines)),
  at: COMPLETED,
  rule,
  says,
});

const OF_RESULTS: Plan[] = [
  resultOf('a call that has ended and waits for a person', 'approval', /no such call waits/, (it) =>
    it.pending.push(it.calls[0].digest),
  ),
  resultOf('a conversation that is full', 'approval', /the steps say otherwise/, (it) => (it.context_full = true)),
  resultOf(
    'somebody who steered nothing',
    'approval',
    /changed the call or steered the turn/,
    (it) => (it.steered_by = ['mallory']),
  ),
  resultOf(
    'more ignored signals than are shown',
    'continued',
    /signals were ignored, and shows/,
    (it) => (it.ignored_signals.count += 1),
  ),
  resultOf('an ignored signal less', 'continued', /signals were ignored, and shows/, (it) => void it.ignored_signals.last.pop()),
  resultOf('an ignored signal of somebody else', 'plain', /signals were ignored, and 0 came/, (it) => {
    it.ignored_signals = {
      count: 1,
      last: [{ at: it.started_at, signal: 'approve', identity: 'mallory', reason: 'it is late' }],
    };
  }),
  resultOf('an ignored signal at another time', 'continued', /a signal that was ignored when/, (it) => {
    const [first] = it.ignored_signals.last;
    first.at = later(first.at);
  }),
  resultOf('a call of a step is left out', 'parallel', /leaves out 1 calls/, (it) => void it.calls.pop(), 'D6'),
  resultOf(
    'a call is counted that there was not',
    'approval',
    /calls that it leaves out, and there were 0/,
    (it) => (it.earlier_calls = { count: 1, applied: 0, not_applied: 0, refused: 1, in_doubt: 0 }),
    'D6',
  ),
];

export const RUN_PLANS: readonly Plan[] = [...OF_BUNDLES, ...OF_TIMES, ...OF_RUNS, ...OF_CALLS, ...OF_STEPS, ...OF_RESULTS];
