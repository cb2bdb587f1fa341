/** Facts about calls that have not run, and about open ones, changed in one place, under the stolen key. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { activity, answer, argument, first, ofType, result, view, type Plan } from './open-lines';

const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const OTHER = 'f'.repeat(64);
/** The calls of a turn that was cancelled, as its end is told of them. */
const stopped = (lines: OpenLine[]) => argument(lines, 'endTurn').outcomes[0];
/** In the sample in which a classifier denied the first call. */
const denied = (lines: OpenLine[]) => argument(lines, 'takeStep', 1).outcomes[0];

const OF_QUESTIONS: Plan[] = [
  ...(
    [
      ['input', 'input_ref', OTHER],
      ['policy', 'policy_ref', OTHER],
      ['target', 'target_hash', OTHER],
      ['revision', 'revision', 2],
    ] as const
  ).map(([what, field, value]) => ({
    name: `admission is asked about another ${what} of a call that it denies`,
    of: 'probed',
    edit: (lines: OpenLine[]) => (argument(lines, 'admitCall').call[field] = value),
    at: activity('admitCall'),
    rule: 'D4',
    says: new RegExp(`another ${what} of the call than was known of it`),
  })),
  {
    name: 'admission is asked about a call that no step has asked for',
    of: 'probed',
    edit: (lines) => (argument(lines, 'admitCall').call.id = '1.7'),
    at: activity('admitCall'),
    rule: 'D4',
    says: /call "1.7", which no step has asked for/,
  },
  ...['denied', 'running', 'cancelled', 'expired'].map((of) => ({
    name: `people were shown something that the digest of their call does not cover (${of})`,
    of,
    edit: (lines: OpenLine[]) => (result(lines, 'admitCall').preview_ref = OTHER),
    at: answer('admitCall'),
    rule: 'D4',
    says: /under a digest that is not its own/,
  })),
  ...['running', 'terminated'].map((of) => ({
    name: `another card of a turn that has not ended (${of})`,
    of,
    edit: (lines: OpenLine[]) => (result(lines, 'admitCall').card_ref = OTHER),
    at: first(({ kind }) => kind === 'turn_end'),
    rule: 'D7',
    says: /names something that is not in the bundle/,
  })),
  {
    name: 'the next run reads another card than people were asked with',
    of: 'set_aside',
    edit: (lines) => (argument(lines, 'readCard').card_ref = OTHER),
    at: activity('readCard'),
    rule: 'D4',
    says: /reads a card that nobody was asked with/,
  },
];

const OF_REFUSALS: Plan[] = [
  ...(['code', 'kind', 'reason', 'message', 'hint'] as const).map((field) => ({
    name: `another ${field} of the answer of a classifier, as admission has answered`,
    of: 'probed',
    edit: (lines: OpenLine[]) => (result(lines, 'admitCall').error[field] = 'another'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /refused for another reason than it was/,
  })),
  ...(['kind', 'hint'] as const).map((field) => ({
    name: `another ${field} of the answer of a classifier, as the next step is told`,
    of: 'probed',
    edit: (lines: OpenLine[]) => (denied(lines).error[field] = 'another'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /refused for another reason than it was/,
  })),
  {
    name: 'another reason of a call that was denied, in the result of the turn',
    of: 'probed',
    edit: (lines) => (view(lines).calls[0].error.reason = 'another'),
    at: COMPLETED,
    rule: 'D6',
    says: /error of the result/,
  },
  {
    name: 'the summary of a result that does not exist',
    of: 'denied',
    edit: (lines) => (argument(lines, 'takeStep', 1).outcomes[0].summary = 'paid'),
    at: COMPLETED,
    rule: 'D6',
    says: /summary of the result/,
  },
  {
    name: 'another idempotency key of a call that never ran',
    of: 'denied',
    edit: (lines) => (view(lines).calls[0].idempotency_key = `hf_${'f'.repeat(40)}`),
    at: COMPLETED,
    rule: 'D4',
    says: /idempotency key of a call that does not follow/,
  },
  ...(
    [
      ['attempts', 1],
      ['revision', 2],
    ] as const
  ).flatMap(([field, value]) =>
    [denied, (lines: OpenLine[]) => view(lines).calls[0]].map((call, index) => ({
      name: `another ${field} of a call that was denied, ${index === 0 ? 'as the next step is told' : 'in the result of the turn'}`,
      of: 'probed',
      edit: (lines: OpenLine[]) => (call(lines)[field] = value),
      at: COMPLETED,
      rule: 'D6',
      says: new RegExp(`${field} of the result`),
    })),
  ),
  {
    name: 'a call that was denied has the outcome of a stopped one, as the next step is told',
    of: 'probed',
    edit: (lines) => (denied(lines).state = 'cancelled'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /says that a call was stopped, and "denied_by_classifier" of why/,
  },
  {
    name: 'a call that was denied has the outcome of a stopped one, in the result of the turn',
    of: 'probed',
    edit: (lines) => (view(lines).calls[0].state = 'proposed'),
    at: COMPLETED,
    rule: 'D6',
    says: /"proposed" of a call that was refused/,
  },
  {
    name: 'a call that was denied has the outcome of a failed one, as the next step is told',
    of: 'probed',
    edit: (lines) => (denied(lines).state = 'failed'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /"failed" of a call that nobody was asked about/,
  },
  {
    name: 'the outcome of a call that no step has asked for',
    of: 'probed',
    edit: (lines) => (denied(lines).call_id = '1.7'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /has call "1.7", which no step has asked for/,
  },
];

const OF_STOPPED: Plan[] = [
  ...(['denied', 'expired', 'failed', 'succeeded'] as const).map((state) => ({
    name: `a call that was stopped has the state ${state}, as the end of its turn is told`,
    of: 'cancelled',
    edit: (lines: OpenLine[]) => (stopped(lines).state = state),
    at: activity('endTurn'),
    rule: 'D6',
    says: new RegExp(`says "${state}" of a call, and that it was stopped`),
  })),
  {
    name: 'the summary of a result of a call that was stopped',
    of: 'cancelled',
    edit: (lines) => (stopped(lines).summary = 'paid'),
    at: activity('endTurn'),
    rule: 'D6',
    says: /says "cancelled" of a call, and that it was stopped/,
  },
  {
    name: 'a call that has succeeded has the outcome of a stopped one, as the next step is told',
    of: 'approval',
    edit: (lines) => (argument(lines, 'takeStep', 1).outcomes[0].state = 'cancelled'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /success of the result is false/,
  },
  {
    name: 'a call that has succeeded has the outcome of a stopped one, in the result of the turn',
    of: 'approval',
    edit: (lines) => (view(lines).calls[0].state = 'cancelled'),
    at: COMPLETED,
    rule: 'D6',
    says: /success of the result is false/,
  },
  {
    name: 'another reason why a call was stopped, as the end of its turn is told',
    of: 'cancelled',
    edit: (lines) => (stopped(lines).error.reason = 'denied'),
    at: activity('endTurn'),
    rule: 'D6',
    says: /says that a call was stopped, and "denied" of why/,
  },
  ...['denied', 'expired'].map((of) => ({
    name: `a call that people were asked about has the outcome of a stopped one, as the next step is told (${of})`,
    of,
    edit: (lines: OpenLine[]) => (argument(lines, 'takeStep', 1).outcomes[0].state = 'cancelled'),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /says that a call was stopped, and/,
  })),
  ...['denied', 'expired'].map((of) => ({
    name: `a call that people were asked about has the outcome of a stopped one, in the result of the turn (${of})`,
    of,
    edit: (lines: OpenLine[]) => (view(lines).calls[0].state = 'cancelled'),
    at: COMPLETED,
    rule: 'D6',
    says: /says that a call was stopped, and/,
  })),
];

const OF_STEPS: Plan[] = [
  ...(
    [
      ['plain', 'continue'],
      ['running', 'refusal'],
    ] as const
  ).map(([of, next]) => ({
    name: `a step after which the turn continues in another way (${of})`,
    of,
    edit: (lines: OpenLine[]) => (result(lines, 'takeStep', of === 'plain' ? 1 : 0).next = next),
    at: answer('takeStep', of === 'plain' ? 1 : 0),
    rule: 'D2',
    says: /of what comes next/,
  })),
  ...(['another', 'definition'] as const).map((which) => ({
    name: `a step without calls names rules that are not in the bundle (${which})`,
    of: 'plain',
    edit: (lines: OpenLine[]) => {
      const definition = lines.find(({ kind, body }) => kind === 'object' && body.value.v === 'holdfast.agent/1')!.body.ref;
      result(lines, 'takeStep', 1).policy.policy_ref = which === 'another' ? OTHER : definition;
    },
    at: first(({ kind }) => kind === 'turn_end'),
    rule: 'D1',
    says: /names rules that the bundle does not have/,
  })),
];

const OF_DOUBTS: Plan[] = [
  {
    name: 'a call is left in an unknown state, before a probe has settled it',
    of: 'probed',
    edit: (lines) => (result(lines, 'runCall', 1).state = 'another'),
    at: answer('runCall', 1),
    rule: 'D6',
    says: /leaves it "another"/,
  },
  {
    name: 'a dispatch in doubt of several attempts, before a probe has settled it',
    of: 'probed',
    edit: (lines) => (result(lines, 'runCall', 1).attempts = 2),
    at: answer('runCall', 1),
    rule: 'D6',
    says: /in doubt after 2 attempts/,
  },
  {
    name: 'more attempts of a call, as a probe has settled it',
    of: 'probed',
    edit: (lines) => (result(lines, 'reconcileEffect', 1).settled.attempts = 2),
    at: activity('takeStep', 2),
    rule: 'D6',
    says: /attempts of the result/,
  },
  {
    name: 'more attempts of a call that an agent has answered',
    of: 'sub_agent',
    edit: (lines) => (result(lines, 'closeSubTurn').attempts = 2),
    at: activity('takeStep', 1),
    rule: 'D6',
    says: /attempts of the result/,
  },
];

export const REFUSAL_PLANS: readonly Plan[] = [...OF_QUESTIONS, ...OF_REFUSALS, ...OF_STOPPED, ...OF_STEPS, ...OF_DOUBTS];
