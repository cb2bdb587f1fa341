/** What people were asked, until when, and what the result shows of it, changed in one place, under the stolen key. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { activity, answer, argument, block, bodies, later, ofType, result, view, type Find, type Plan } from './open-lines';

const COMPLETED = ofType('WORKFLOW_EXECUTION_COMPLETED');
const OTHER = 'f'.repeat(64);
const refOf = (lines: OpenLine[], is: Find): string => lines.find(is)!.body.ref;
const part =
  (has: (body: any) => unknown): Find =>
  ({ kind, body }) =>
    kind === 'part' && Boolean(has(body.part?.body ?? {}));
const isUse = part(({ type }) => type === 'tool_use');

const OF_CARDS: Plan[] = ['cancelled', 'running', 'terminated'].map((of) => ({
  name: `the card that people were shown is named as what the model asked for (${of})`,
  of,
  edit: (lines: OpenLine[]) => (result(lines, 'admitCall').card_ref = refOf(lines, isUse)),
  at: isUse,
  rule: 'D3',
  says: /is no card/,
}));

/** The later verdict in the result of an activity. */
const decidedIn = ({ event }: any): any => event?.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.$?.decided ?? null;
const definitionOf = (lines: OpenLine[], has: (body: any) => unknown): any =>
  bodies(lines, has).find((one) => one.definition_ref);
const isRules: Find = ({ kind, body }) => kind === 'object' && body.value.v !== 'holdfast.agent/1';

const OF_DEFINITIONS: Plan[] = [
  ...(
    [
      ['start', 'approval', (body: any) => body.first_execution_run_id],
      ['admission', 'approval', (body: any) => body.server_tools],
      ['dispatch', 'approval', (body: any) => body.approval],
      ['dispatch', 'bound', (body: any) => body.approval],
    ] as const
  ).map(([kind, of, has]) => ({
    name: `the block of kind ${kind} names rules in place of its definition (${of})`,
    of,
    edit: (lines: OpenLine[]) => (definitionOf(lines, has).definition_ref = refOf(lines, isRules)),
    at: block(kind),
    rule: 'D1',
    says: /names rules where it names the definition/,
  })),
  {
    name: "the definition that a dispatch names is that of a sub-agent's turn above",
    of: 'forwarded',
    edit: (lines) => {
      const dispatch = definitionOf(lines, (body) => body.approval);
      const others = lines.filter((line) => line.kind === 'object' && !isRules(line));
      dispatch.definition_ref = others.find(({ body }) => body.value.name !== dispatch.subject.agent)!.body.ref;
    },
    at: block('dispatch'),
    rule: 'D1',
    says: /names the definition of another/,
  },
];

const OF_EXPIRIES: Plan[] = ['cancelled', 'running', 'set_aside', 'denied'].map((of) => ({
  name: `people were asked until a millisecond later, by the argument of admission (${of})`,
  of,
  edit: (lines: OpenLine[]) => {
    const asked = argument(lines, 'admitCall');
    asked.expires_at = later(asked.expires_at);
  },
  at: activity('admitCall'),
  rule: 'D4',
  says: /by the workflow's clock and its policy until another time/,
}));

const OF_STEPS: Plan[] = [
  ['plain', 0],
  ['probed', 1],
  ['expired', 1],
  ['reset', 2],
].map(([of, nth]) => ({
  name: `whether all was refused, told to a step in the wrong way (${of})`,
  of: String(of),
  edit: (lines: OpenLine[]) => {
    const told = argument(lines, 'takeStep', Number(nth));
    told.all_refused = !told.all_refused;
  },
  at: activity('takeStep', Number(nth)),
  rule: 'D6',
  says: /of whether all that might take effect was refused/,
}));

const OF_DECISIONS: Plan[] = [
  ...(
    [
      ['card_ref', 'on another card'],
      ['run_id', 'of a run that has not asked'],
    ] as const
  ).flatMap(([field, why]) =>
    [0, 1].map((nth) => ({
      name: `another ${field} of the approval with which a call ran (reset, ${nth})`,
      of: 'reset',
      edit: (lines: OpenLine[]) => (argument(lines, 'runCall', nth).approvals[0][field] = OTHER),
      at: activity('runCall', nth),
      rule: 'D5',
      says: new RegExp(why),
    })),
  ),
  ...['approve', { decision: 'approve' }, { decision: 'none' }].map((said) => ({
    name: `a decision in the record of a call that nobody was asked about: ${JSON.stringify(said)}`,
    of: 'reset',
    edit: (lines: OpenLine[]) => (argument(lines, 'takeStep', 1).outcomes[0].decision = said),
    at: activity('takeStep', 1),
    rule: 'D5',
    says: /decision on a call that is none/,
  })),
];

const OF_RESULTS: Plan[] = [
  ...(
    [
      ['plain', 'quorum', 2, 'took other approvals than admission'],
      ['parallel', 'channel', 'attested', 'took other approvals than admission'],
      ['plain', 'required', true, 'whether people had to approve'],
      ['sub_agent', 'required', true, 'whether people had to approve'],
    ] as const
  ).map(([of, field, value, why]) => ({
    name: `another ${field} of a call that nobody was asked about, in the result of the turn (${of})`,
    of,
    edit: (lines: OpenLine[]) => (view(lines).calls[0].approval[field] = value),
    at: COMPLETED,
    rule: 'D5',
    says: new RegExp(why),
  })),
  ...[0, 1].map((nth) => ({
    name: `whether people had to approve a call that a classifier was asked about, wrong in the result of the turn (${nth})`,
    of: 'probed',
    edit: (lines: OpenLine[]) => {
      const { approval } = view(lines).calls[nth];
      approval.required = !approval.required;
    },
    at: COMPLETED,
    rule: 'D5',
    says: /whether people had to approve/,
  })),
  ...(
    [
      ['state', 'denied', 'says "denied" of a call that another revision'],
      ['error', { code: 'TIMEOUT' }, 'something became of a call'],
      ['result_summary', 'paid', 'something became of a call'],
      ['effect', 'refused', 'something became of a call'],
      ['attempts', 2, 'was tried 2 times'],
    ] as const
  ).map(([field, value, why]) => ({
    name: `another ${field} of a call that was superseded, in the result of the turn`,
    of: 'edited',
    edit: (lines: OpenLine[]) => (view(lines).calls[0][field] = value),
    at: COMPLETED,
    rule: 'D6',
    says: new RegExp(why),
  })),
];

const OF_INPUTS: Plan[] = [
  {
    name: 'admission does not say whether there was a preview of the call that people were asked about',
    of: 'probed',
    edit: (lines) => delete result(lines, 'admitCall', 1).preview_ref,
    at: answer('admitCall', 1),
    rule: 'D4',
    says: /under a digest that is not its own/,
  },
  ...['a text', 7].map((input) => ({
    name: `${JSON.stringify(input)} as the input of a call that a step has asked for`,
    of: 'approval',
    edit: (lines: OpenLine[]) => (result(lines, 'takeStep').calls[0].input = input),
    at: answer('takeStep'),
    rule: 'D2',
    says: /input/,
  })),
  ...['a text', 7].map((input) => ({
    name: `${JSON.stringify(input)} as the input of a call that was decided on later`,
    of: 'edited',
    edit: (lines: OpenLine[]) => {
      const decided = lines.map(({ body }) => decidedIn(body)).find((one) => one !== null);
      decided.input = input;
    },
    at: ({ body }: OpenLine) => decidedIn(body) !== null,
    rule: 'D2',
    says: /another input than the one that it names/,
  })),
];

const OF_TURNS_BELOW: Plan[] = ['sub_agent', 'forwarded'].flatMap((of) => [
  {
    name: `a turn below answers another call than it was opened for (${of})`,
    of,
    edit: (lines: OpenLine[]) => (argument(lines, 'closeSubTurn').call.digest = OTHER),
    at: activity('closeSubTurn'),
    rule: 'D6',
    says: /another call than it was opened for/,
  },
  ...['a text', ['a list'], 7].map((input) => ({
    name: `${JSON.stringify(input)} as the input of a call that a turn below answers (${of})`,
    of,
    edit: (lines: OpenLine[]) => (argument(lines, 'closeSubTurn').call.input = input),
    at: activity('closeSubTurn'),
    rule: 'D4',
    says: /another input than that of the call/,
  })),
]);

export const QUESTION_PLANS: readonly Plan[] = [
  ...OF_CARDS,
  ...OF_DEFINITIONS,
  ...OF_EXPIRIES,
  ...OF_STEPS,
  ...OF_DECISIONS,
  ...OF_RESULTS,
  ...OF_INPUTS,
  ...OF_TURNS_BELOW,
];
