/** Facts that few samples have, changed in one place, under the stolen key: decisions that the store keeps, a conversation that is full, a classifier, a probe. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { activity, answer, argument, attributes, block, bodies, first, later, nextRun, ofType, result, scheduled, valueOf, view, type Plan } from './open-lines'; // oxfmt-ignore

const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const STARTED = ofType('WORKFLOW_EXECUTION_STARTED');
const earlier = (at: string) => new Date(Date.parse(at) - 3_600_000).toISOString();

/** The same with another name. */
const renamed = (said: any, name: string, other: string): any =>
  JSON.parse(JSON.stringify(said).replaceAll(`"by":"${name}"`, `"by":"${other}"`));
const hash = (ref: string) => `${ref.startsWith('0') ? '1' : '0'}${ref.slice(1)}`;
const signalOf = (lines: OpenLine[], by: string) =>
  lines.map(attributes).find(({ signalName, input }) => signalName === 'approve' && input.payloads[0].$.by === by).input.payloads[0].$; // oxfmt-ignore

const OF_SAID: Plan[] = [
  {
    name: 'an approval that the store keeps and that nobody has given',
    of: 'set_aside',
    edit: (lines) => {
      for (const it of [argument(lines, 'keepSaid'), result(lines, 'readSaid')]) it.said = renamed(it.said, 'bob', 'mallory');
    },
    at: activity('keepSaid'),
    rule: 'H9',
    says: /"mallory" stands in other words/,
  },
  {
    name: 'another note of an approval that the store keeps',
    of: 'set_aside',
    edit: (lines) => (signalOf(lines, 'cleo').note = 'If it is due.'),
    at: activity('keepSaid'),
    rule: 'H9',
    says: /"cleo" stands in other words/,
  },
  {
    name: 'an approval that the store keeps, and that is read back under another name',
    of: 'set_aside',
    edit: (lines) => {
      const read = result(lines, 'readSaid');
      read.said = renamed(read.said, 'bob', 'mallory');
    },
    at: answer('readSaid'),
    rule: 'D5',
    says: /said of what people have said/,
  },
  {
    name: 'another part in which the store keeps the decisions of people',
    of: 'set_aside',
    edit: (lines) => {
      const kept = result(lines, 'keepSaid');
      kept.said_ref = hash(kept.said_ref);
    },
    at: nextRun,
    rule: 'D1',
    says: /another part than the run before it had kept/,
  },
  {
    name: 'another part from which the decisions of people are read',
    of: 'set_aside',
    edit: (lines) => {
      const read = argument(lines, 'readSaid');
      read.said_ref = hash(read.said_ref);
    },
    at: activity('readSaid'),
    rule: 'D1',
    says: /another part than the run was given/,
  },
];

const ofCompact = (name: string, edit: Plan['edit'], at: Plan['at'], rule: string, says: RegExp): Plan => ({
  name: `a conversation that was made shorter ${name}`,
  of: 'crowded',
  edit,
  at,
  rule,
  says,
});
const didIsOther = /did of the block/;
const OF_COMPACT: Plan[] = [
  ofCompact('at another time', (lines) => (argument(lines, 'compact').at = later(argument(lines, 'compact').at)), activity('compact'), 'D1', /clock says otherwise/), // oxfmt-ignore
  ofCompact('from another block', (lines) => (argument(lines, 'compact').head = hash(argument(lines, 'compact').head)), activity('compact'), 'D1', /another block than the last/), // oxfmt-ignore
  ofCompact('in another way', (lines) => (result(lines, 'compact').did = 'cleared'), block('summary'), 'D6', didIsOther),
  ofCompact('but reports nothing', (lines) => (result(lines, 'compact').did = 'nothing'), block('summary'), 'D6', didIsOther),
  ofCompact('by more tokens', (lines) => (result(lines, 'compact').usage.input_tokens += 1), COMPLETED, 'D1', /tokens/),
];

const OF_STEPS: Plan[] = [
  {
    name: 'a person who had spoken before is left out of a step',
    of: 'crowded',
    edit: (lines) => delete result(lines, 'takeStep').said_before,
    at: COMPLETED,
    rule: 'D1',
    says: /"mia" changed the call or steered the turn, and the history does not/,
  },
  {
    name: 'a person who had spoken before is left out of the result',
    of: 'crowded',
    edit: (lines) => (view(lines).steered_by = []),
    at: COMPLETED,
    rule: 'D1',
    says: /does not say that "mia" changed the call or steered the turn/,
  },
  {
    name: 'a person who has steered the turn is left out of its result',
    of: 'steered',
    edit: (lines) => (view(lines).steered_by = view(lines).steered_by.filter((one: string) => one !== 'tom')),
    at: COMPLETED,
    rule: 'D1',
    says: /does not say that "tom" changed the call or steered the turn/,
  },
  {
    name: 'a message that does not supersede waiting calls, by its step',
    of: 'crowded',
    edit: (lines) => delete result(lines, 'takeStep').policy.steer_supersedes,
    at: block('admission', -1),
    rule: 'D1',
    says: /another steer_supersedes/,
  },
  {
    name: 'a message that supersedes waiting calls, by its step',
    of: 'bound',
    edit: (lines) => (result(lines, 'takeStep').policy.steer_supersedes = true),
    at: block('admission'),
    rule: 'D1',
    says: /another steer_supersedes/,
  },
  {
    name: 'a conversation that is full, and has room by its step',
    of: 'crowded',
    edit: (lines) => delete result(lines, 'takeStep').context_full,
    at: COMPLETED,
    rule: 'D1',
    says: /true of whether the conversation is full, and the steps say otherwise/,
  },
  {
    name: 'a conversation that is full, in a turn that begins as if it had room',
    of: 'crowded',
    edit: (lines) => delete attributes(lines.find(STARTED)!).input.payloads[0].$.context_full,
    at: first((line) => line.kind === 'session' && line.body.event.eventType.endsWith('CHILD_WORKFLOW_EXECUTION_INITIATED')),
    rule: 'H8',
    says: /./,
  },
  {
    name: 'a conversation that is full, and has room by its session',
    of: 'crowded',
    edit: (lines) => {
      const isFound = ({ kind, body }: OpenLine) => kind === 'session' && body.event.activityTaskCompletedEventAttributes;
      attributes(lines.find(isFound)!).result.payloads[0].$.context_full = false;
    },
    at: first(({ kind, body }) => kind === 'session' && body.event.activityTaskCompletedEventAttributes !== undefined),
    rule: 'D1',
    says: /context_full of the turn/,
  },
  {
    name: 'a transcript that begins in another run of the workflow',
    of: 'crowded',
    edit: (lines) => (bodies(lines, (it) => it.first_execution_run_id).at(-1).first_execution_run_id = 'another'),
    at: block('start', -1),
    rule: 'B3',
    says: /another run of the workflow/,
  },
];

const denials = (lines: OpenLine[]) => argument(lines, 'admitCall', 1).undecided.denials;
const OF_CALLS: Plan[] = [
  {
    name: 'more denials of the classifier than there were',
    of: 'probed',
    edit: (lines) => (denials(lines).in_all = 2),
    at: activity('admitCall', 1),
    rule: 'D4',
    says: /told of 2 denials, and the history has 1/,
  },
  {
    name: 'fewer denials of the classifier than there were',
    of: 'probed',
    edit: (lines) => Object.assign(denials(lines) as object, { in_all: 0, in_a_row: 0 }),
    at: activity('admitCall', 1),
    rule: 'D4',
    says: /told of 0 denials, and the history has 1/,
  },
  {
    name: 'a denial that is not by the classifier, in its record',
    of: 'probed',
    edit: (lines) => delete result(lines, 'admitCall').by_classifier,
    at: activity('admitCall', 1),
    rule: 'D4',
    says: /told of 1 denials, and the history has 0/,
  },
  {
    name: 'a probe that counts sooner than its turn recorded',
    of: 'probed',
    edit: (lines) => {
      const found = result(lines, 'reconcileEffect');
      found.not_applied_from = earlier(found.not_applied_from);
    },
    at: answer('reconcileEffect'),
    rule: 'D6',
    says: /believed sooner/,
  },
  ...(
    [
      ['probed', 'reconcileEffect'],
      ['probed', 'notify'],
      ['steered', 'checkSteer'],
    ] as const
  ).map(([of, name]) => ({
    name: `another time at which ${name} was scheduled`,
    of,
    edit: (lines: OpenLine[]) => (argument(lines, name).at = later(argument(lines, name).at)),
    at: activity(name),
    rule: 'D1',
    says: /clock says otherwise/,
  })),
  {
    name: 'people who were told of another card than they were asked with',
    of: 'probed',
    edit: (lines) => (argument(lines, 'notify').card_ref = hash(argument(lines, 'notify').card_ref)),
    at: activity('notify'),
    rule: 'D4',
    says: /a card that nobody was asked about/,
  },
  {
    name: 'people who were told of another call than they were asked about, without its card',
    of: 'probed',
    edit: (lines) => {
      const told = argument(lines, 'notify');
      Object.assign(told, { digest: hash(told.digest), card_ref: null });
    },
    at: activity('notify'),
    rule: 'D4',
    says: /a call that nobody was asked about/,
  },
];

/** Arguments with which this tool was to run, in both runs. */
const runsOf = (lines: OpenLine[], tool: string): any[] =>
  scheduled(lines, 'runCall')
    .map(valueOf)
    .filter(({ call }) => call.tool === tool);
const dispatchIn = (lines: OpenLine[]) => bodies(lines, (body) => body.idempotency_key && body.approval)[0];
const NOT_SCHEDULED = { of: 'thawed', at: block('dispatch'), rule: 'B7', says: /not the call that the history scheduled/ };

const OF_RESETS: Plan[] = [
  {
    name: 'the approval of a dispatch after a reset is the one of the run before',
    edit: (lines) => Object.assign(bodies(lines, (body) => body.decision)[0], runsOf(lines, 'remit')[0].approvals[0]),
    ...NOT_SCHEDULED,
  },
  {
    name: 'a dispatch after a reset has the input of another call',
    edit: (lines) => (dispatchIn(lines).input_ref = runsOf(lines, 'file')[0].call.input_ref),
    ...NOT_SCHEDULED,
  },
  {
    name: 'a dispatch after a reset is said to have been allowed',
    edit: (lines) => (dispatchIn(lines).verdict = 'allow'),
    ...NOT_SCHEDULED,
  },
  {
    name: 'a call that was decided anew after a reset runs with an input that nobody said',
    of: 'thawed',
    edit: (lines) => (runsOf(lines, 'file').at(-1).call.input_ref = runsOf(lines, 'remit')[0].call.input_ref),
    at: (line, _, lines) => line === scheduled(lines, 'runCall').findLast((one) => valueOf(one).call.tool === 'file'),
    rule: 'D4',
    says: /another verdict than admission had given/,
  },
];

export const RARE_PLANS: readonly Plan[] = [...OF_SAID, ...OF_COMPACT, ...OF_STEPS, ...OF_CALLS, ...OF_RESETS];
