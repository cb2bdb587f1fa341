/** Facts of decisions, and of what admission was told, changed in one place of a sample and signed by the stolen key; and two bundles of what a turn would not have done. */
import { sample } from '../bundle-keys';
import { another } from './another';
import { forged, type OpenLine } from './forge';
import { attributes, ofType } from './open-lines';

export interface DecisionForgery {
  name: string;
  of: string;
  rule: string;
  edit(lines: OpenLine[]): void;
}

const scheduled = (lines: OpenLine[], name: string, nth = 0) =>
  lines.filter((line) => attributes(line).activityType?.name === name)[nth]!;
const input = (lines: OpenLine[], name: string, nth = 0) => attributes(scheduled(lines, name, nth)).input.payloads[0].$;
const output = (lines: OpenLine[], name: string, nth = 0) => {
  const { eventId } = scheduled(lines, name, nth).body.event;
  return attributes(lines.find((line) => attributes(line).scheduledEventId === eventId && attributes(line).result)!).result
    .payloads[0].$;
};
const result = (lines: OpenLine[]) =>
  attributes(lines.find((line) => ofType('WORKFLOW_EXECUTION_COMPLETED')(line))!).result.payloads[0].$;
const part = (lines: OpenLine[], has: (body: any) => unknown) =>
  lines.find(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {}))!.body.part.body;
/** What the nth update says. */
const update = (lines: OpenLine[], nth = 0) =>
  attributes(lines.filter((line) => ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED')(line))[nth]!).acceptedRequest.input.args
    .payloads[0].$;
const signal = (lines: OpenLine[]) =>
  attributes(lines.find((line) => ofType('WORKFLOW_EXECUTION_SIGNALED')(line))!).input.payloads[0].$;

/** In all copies of each decision: arguments, blocks and the turn's result; not in the signal or update. */
function ofDecisions(lines: OpenLine[], change: (decision: any) => void): void {
  const look = (value: any): void => {
    if (typeof value !== 'object' || value === null) return;
    const isDecision = typeof value.decision === 'string' && typeof value.by === 'string' && value.at !== undefined;
    if (isDecision) change(value);
    Object.values(value).forEach(look);
  };
  for (const line of lines) if (!ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED')(line)) look(line.body);
}

/** Inserts events after this one; later events, and the ids that name them, are numbered again. */
function inserted(lines: OpenLine[], after: OpenLine, events: { type: string; attributes: object }[]): void {
  const at = lines.indexOf(after);
  const first = Number(after.body.event.eventId);
  const { eventTime } = after.body.event;
  for (const line of lines.slice(at + 1)) {
    if (line.kind === 'run') break;
    if (line.kind !== 'event') continue;
    line.body.event.eventId = String(Number(line.body.event.eventId) + events.length);
    const of = attributes(line);
    for (const [field, value] of Object.entries(of))
      if (/EventId$/.test(field) && Number(value) > first) of[field] = String(Number(value) + events.length);
  }
  const more = events.map(({ type, attributes: of }, index): OpenLine => {
    const [head = '', ...rest] = type.toLowerCase().split('_');
    const name = head + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    const event = { eventId: String(first + 1 + index), eventTime, eventType: `EVENT_TYPE_${type}` };
    return { kind: 'event', body: { event: { ...event, [`${name}EventAttributes`]: of } } };
  });
  lines.splice(at + 1, 0, ...more);
}

const TASK = ['SCHEDULED', 'STARTED', 'COMPLETED'].map((state) => ({ type: `WORKFLOW_TASK_${state}`, attributes: {} }));

export const DECISION_FORGERIES: DecisionForgery[] = [
  {
    name: 'the note of an approval, in the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => (update(lines).note = 'Not yet.'),
  },
  {
    name: 'the note of an approval, in all places but the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => ofDecisions(lines, (one) => one.by === 'ana' && (one.note = 'Not yet.')),
  },
  {
    name: 'the name of the person who approved, spelt in another way in the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => (update(lines).by = 'Ana'),
  },
  {
    name: 'another input in the update of an approval',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => (update(lines).input = { invoice: 'INV-7', cents: 1 }),
  },
  {
    name: 'the channel of an approval, in all places but the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => ofDecisions(lines, (one) => (one.channel = 'signal')),
  },
  {
    name: 'the client of an approval, in all places but the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => ofDecisions(lines, (one) => (one.identity = 'mallory@vm')),
  },
  {
    name: 'until when the sender of an approval waited, in all places but the update',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => ofDecisions(lines, (one) => one.until && (one.until = new Date(Date.parse(one.until) + 1000).toISOString())),
  },
  {
    name: 'that an approval was accepted, in what its sender was answered',
    of: 'waited',
    rule: 'H9',
    edit: (lines) => {
      const answer = lines.find((line) => ofType('WORKFLOW_EXECUTION_UPDATE_COMPLETED')(line))!;
      attributes(answer).outcome.success.payloads[0].$ = { accepted: false, reason: 'it is decided already' };
    },
  },
  {
    name: 'the note of a denial, in all places but the update',
    of: 'denied',
    rule: 'H9',
    edit: (lines) => {
      ofDecisions(lines, (one) => (one.note = 'Never.'));
      result(lines).calls[0].approval.note = 'Never.';
    },
  },
  {
    name: 'the note of a settlement, in the update',
    of: 'in_doubt',
    rule: 'H9',
    edit: (lines) => (update(lines, 1).note = 'The bank has not.'),
  },
  {
    name: 'the other input, in the update',
    of: 'edited',
    rule: 'H9',
    edit: (lines) => (update(lines).input.cents = 351),
  },
  {
    name: 'the other input, as admission was given it',
    of: 'edited',
    rule: 'H9',
    edit: (lines) => (input(lines, 'admitCall', 1).edit.input.cents = 351),
  },
  {
    name: 'the other input, in the update and as admission was given it',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (update(lines).input.cents = input(lines, 'admitCall', 1).edit.input.cents = 351),
  },
  {
    name: 'who changed the input, as admission was given it',
    of: 'edited',
    rule: 'H9',
    edit: (lines) => (input(lines, 'admitCall', 1).edit.by = 'bob'),
  },
  {
    name: 'who changed the input, as admission has answered',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (output(lines, 'admitCall', 1).decided.changes[0].by = 'bob'),
  },
  {
    name: 'that an input was changed, in arguments and blocks, by a change that was not admitted',
    of: 'edited',
    rule: 'H9',
    edit: (lines) => {
      input(lines, 'admitCall', 1).edit.note = update(lines).note = 'A third.';
    },
  },
  {
    name: 'the verdict on the changed call, as admission has answered',
    of: 'edited',
    rule: 'D4',
    edit: (lines) => (output(lines, 'admitCall', 1).decided.verdict = 'allow'),
  },
  {
    name: 'why the changed call was asked about, as admission has answered',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (output(lines, 'admitCall', 1).decided.reason = 'a rule'),
  },
  {
    name: 'the changed input, as admission has answered it',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (output(lines, 'admitCall', 1).decided.input.cents = 351),
  },
  {
    name: 'the hash under which the changed call is known',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (output(lines, 'admitCall', 1).decided.input_digest = 'e'.repeat(64)),
  },
  {
    name: 'why the changed call was asked about, in the transcript',
    of: 'edited',
    rule: 'D2',
    edit: (lines) => (part(lines, (body) => body.reason === 'ana changed the input').reason = 'a rule'),
  },
  {
    name: 'what a worker was to check: the tool',
    of: 'bound',
    rule: 'D4',
    edit: (lines) => (input(lines, 'checkDecision').tool = 'lookup'),
  },
  ...['decision', 'outcome', 'digest', 'attestation', 'input_hash'].map((field): DecisionForgery => ({
    name: `what a worker was to check: ${field}`,
    of: 'bound',
    rule: 'H9',
    edit: (lines) => {
      const value = input(lines, 'checkDecision');
      value[field] = field === 'decision' ? 'deny' : another(value[field]);
    },
  })),
  {
    name: 'what a worker was to check: the hash of a note',
    of: 'bound',
    rule: 'H9',
    edit: (lines) => (input(lines, 'checkDecision').note_hash = 'e'.repeat(64)),
  },
  {
    name: 'the person whose signature a worker found valid',
    of: 'bound',
    rule: 'H9',
    edit: (lines) => (output(lines, 'checkDecision').principal = 'bob'),
  },
  {
    name: 'that a worker found a signature valid',
    of: 'bound',
    rule: 'H9',
    edit: (lines) => {
      const answer = output(lines, 'checkDecision');
      delete answer.principal;
      Object.assign(answer, { ok: false, reason: 'it has expired' });
    },
  },
  {
    name: 'a signature, in the signal',
    of: 'bound',
    rule: 'H9',
    edit: (lines) => {
      const said = signal(lines);
      said.attestation = `${said.attestation.slice(0, -2)}AA`;
    },
  },
  {
    name: 'the input of a direct call, as admission was given it',
    of: 'call',
    rule: 'D1',
    edit: (lines) => (input(lines, 'admitDirect').input_json = '{"cents":701,"invoice":"INV-7"}'),
  },
  {
    name: 'the tool of a direct call, as admission was given it',
    of: 'call',
    rule: 'D1',
    edit: (lines) => (input(lines, 'admitDirect').tool = 'lookup'),
  },
  {
    name: 'the input of a direct call, as the transcript says that it was asked for',
    of: 'call',
    rule: 'D1',
    edit: (lines) => (part(lines, (body) => typeof body.asked === 'string').asked = '{"cents":701,"invoice":"INV-7"}'),
  },
  {
    name: 'why a call is asked about, as admission was told',
    of: 'approval',
    rule: 'D4',
    edit: (lines) => (input(lines, 'admitCall').reason = 'a rule'),
  },
  {
    name: 'how many must approve, as admission was told',
    of: 'waited',
    rule: 'D4',
    edit: (lines) => (input(lines, 'admitCall').approval.quorum = 1),
  },
  {
    name: 'how many must approve, as the step has answered',
    of: 'waited',
    rule: 'D4',
    edit: (lines) => (output(lines, 'takeStep').calls[0].approval.quorum = 1),
  },
  {
    name: 'how many had to approve, in the turn’s result',
    of: 'waited',
    rule: 'D5',
    edit: (lines) => (result(lines).calls[0].approval.quorum = 1),
  },
  {
    name: 'that somebody had to approve, in the turn’s result',
    of: 'waited',
    rule: 'D5',
    edit: (lines) => (result(lines).calls[0].approval.required = false),
  },
  {
    name: 'what held a call back, as admission was told',
    of: 'approval',
    rule: 'D4',
    edit: (lines) => (input(lines, 'admitCall').held = [{ kind: 'budget', id: 'month', text: 'It is spent.' }]),
  },
  {
    name: 'the verdict under which a call ran, as it was given',
    of: 'approval',
    rule: 'D4',
    edit: (lines) => (input(lines, 'runCall').verdict = 'allow'),
  },
  {
    name: 'the hash under which a call is known',
    of: 'approval',
    rule: 'D2',
    edit: (lines) => (output(lines, 'takeStep').calls[0].input_digest = 'e'.repeat(64)),
  },
  {
    name: 'that a hook changed an input, as the step has answered',
    of: 'approval',
    rule: 'D2',
    edit: (lines) => (output(lines, 'takeStep').calls[0].changes = [{ hook: 'cap', why: 'too much' }]),
  },
  {
    name: 'how long admission took, as the call that ran was told',
    of: 'approval',
    rule: 'D2',
    edit: (lines) => (input(lines, 'runCall').validation_ms += 1000),
  },
  {
    name: 'how often a call was tried, in the turn’s result',
    of: 'approval',
    rule: 'D6',
    edit: (lines) => (result(lines).calls[0].attempts += 1),
  },
  {
    name: 'how often a call was tried, as the next step is told',
    of: 'approval',
    rule: 'D6',
    edit: (lines) => (input(lines, 'takeStep', 1).outcomes[0].attempts += 1),
  },
  {
    name: 'an agent’s definition, as the step has answered',
    of: 'bound',
    rule: 'D2',
    edit: (lines) => (output(lines, 'takeStep').calls[0].definition_ref = 'e'.repeat(64)),
  },
  {
    name: 'a settlement that its author has corrected since, before the call was settled',
    of: 'in_doubt',
    rule: 'H10',
    edit: (lines) => {
      const updates = lines.filter((line) => ofType('WORKFLOW_EXECUTION_UPDATE_COMPLETED')(line));
      const { call } = update(lines, 1);
      const said = { call, by: 'bob', outcome: 'not_applied', note: 'No, it has not.' };
      const corrected = { signalName: 'settle', identity: 'bob', input: { payloads: [{ $: said }] } };
      inserted(lines, updates[1]!, [{ type: 'WORKFLOW_EXECUTION_SIGNALED', attributes: corrected }, ...TASK, ...TASK]);
    },
  },
  {
    name: 'an approval from before a reset, for what was dispatched after it',
    of: 'reset',
    rule: 'T9',
    edit: (lines) => {
      const { run_id } = lines.filter(({ kind }) => kind === 'run')[1]!.body;
      lines.find(({ kind }) => kind === 'effect')!.body.record.run_id = run_id;
    },
  },
  {
    name: 'an approval that came before its call was asked about after a reset',
    of: 'reset',
    rule: 'T9',
    edit: (lines) => {
      const late = update(lines);
      const reset = lines.findIndex(({ kind, body }) => kind === 'run' && body.began === 'reset');
      const early = lines.slice(reset).find((line) => ofType('WORKFLOW_EXECUTION_SIGNALED')(line))!;
      attributes(early).input.payloads[0].$ = { call: late.call, by: 'bob' };
      late.by = 'carl';
      const { identity } = attributes(early);
      ofDecisions(lines, (one) => one.by === 'bob' && Object.assign(one, { channel: 'signal', identity }));
    },
  },
];

/** The forged bundle. */
export async function decisionForgery({ of, edit }: DecisionForgery): Promise<Buffer> {
  return Buffer.from(forged(await sample(of), edit).text);
}
