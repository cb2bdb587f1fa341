/** Forgeries that hash, chain and sign correctly: each contradicts something, at a line, by a rule, with a sentence. */
import { attestDecision, attestStart } from '../../../src/attestation/bundle-signer';
import { type DecisionClaims, readToken } from '../../../src/attestation/claims';
import { noteHash } from '../../../src/shared/approval/decision';
import { callDigest, hashJson, idempotencyKey, inputDigest } from '../../../src/shared/json/digests';
import type { Json } from '../../../src/shared/json/json';
import { GATEWAY_KEY, sample, STRANGER_KEY } from '../bundle-keys';
import { forged, type OpenLine } from './forge';
import { MESSAGE_PLANS } from './message-forgeries';
import { ADMISSION_PLANS } from './admission-forgeries';
import { attributes, noneWait, ofType, type Find, type Plan } from './open-lines';
import { ENTRY_PLANS } from './entry-forgeries';
import { SUB_TURN_PLANS } from './sub-turn-forgeries';
import { RARE_PLANS } from './rare-forgeries';
import { PART_PLANS } from './part-forgeries';
import { QUESTION_PLANS } from './question-forgeries';
import { REFUSAL_PLANS } from './refusal-forgeries';
import { RUN_PLANS } from './run-forgeries';
import { requested, TURN_PLANS } from './turn-forgeries';

export interface Forgery {
  name: string;
  bytes: Buffer;
  line: number;
  rule: string;
  says: RegExp;
}

// Places.

const ofSession =
  (type: string): Find =>
  (line) =>
    line.kind === 'session' && line.body.event.eventType.endsWith(type);
const scheduled =
  (name: string): Find =>
  (line) =>
    ofType('ACTIVITY_TASK_SCHEDULED')(line) && attributes(line).activityType.name === name;
const block =
  (kind: string): Find =>
  (line) =>
    line.kind === 'block' && line.body.block.kind === kind;
const kind =
  (of: OpenLine['kind']): Find =>
  (line) =>
    line.kind === of;
const part =
  (has: (body: any) => unknown): Find =>
  (line) =>
    line.kind === 'part' && Boolean(has(line.body.part?.body));

const one = (lines: OpenLine[], find: Find): OpenLine => lines.find(find)!;
const value = (line: OpenLine) => attributes(line).input.payloads[0].$;
const bodyOf = (lines: OpenLine[], has: (body: any) => unknown) => one(lines, part(has)).body.part.body;
const run = (lines: OpenLine[]) => value(one(lines, scheduled('runCall')));
const decide = (lines: OpenLine[]) =>
  attributes(one(lines, ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED'))).acceptedRequest.input.args.payloads[0].$;
const argument = (lines: OpenLine[]) => value(one(lines, ofType('WORKFLOW_EXECUTION_STARTED')));
const sent = (lines: OpenLine[]) => attributes(one(lines, ofSession('UPDATE_ACCEPTED'))).acceptedRequest.input.args.payloads[0].$;
const without = (lines: OpenLine[], find: Find): OpenLine => lines.splice(lines.findIndex(find), 1)[0]!;
const resultOf = (lines: OpenLine[], name: string) => {
  const { eventId } = one(lines, scheduled(name)).body.event;
  const completed = lines.find(
    (line) => ofType('ACTIVITY_TASK_COMPLETED')(line) && attributes(line).scheduledEventId === eventId,
  )!;
  return attributes(completed).result.payloads[0].$;
};
/** In every place, in any text. */
const replaced = (lines: OpenLine[], from: string, to: string) =>
  lines.splice(0, lines.length, ...(JSON.parse(JSON.stringify(lines).replaceAll(from, to)) as OpenLine[]));
/** A hash that names nothing. */
const NOWHERE = 'e'.repeat(64);

const isDecision = (body: any) => body?.decision === 'approve';
const isDispatch = (body: any) => body?.idempotency_key && body.approval;
const isEffect = (body: any) => body?.effect;
const isStart = (body: any) => body?.first_execution_run_id;
const isAdmission = (body: any) => body?.verdict && body.tool_use_id;

const HOUR = 3_600_000;
const earlier = (at: string) => new Date(Date.parse(at) - HOUR).toISOString();
const later = (at: string) => new Date(Date.parse(at) + HOUR).toISOString();

/** Leaves a block out: the next block follows the one before it. */
function unchained(lines: OpenLine[], find: Find): void {
  const { body } = without(lines, find);
  for (const { kind: of, body: next } of lines)
    if (of === 'block' && next.block.parent === body.ref) next.block.parent = body.block.parent;
}

/** Other rules, and all digests and keys that follow from them. */
function underRules(lines: OpenLine[], change: (permissions: { deny: object[] }) => void): void {
  const { call, turn } = run(lines);
  const policy = one(lines, (line) => line.kind === 'object' && line.body.ref === call.policy_ref).body;
  const [ref, digest, key] = [policy.ref, call.digest, bodyOf(lines, isDispatch).idempotency_key] as string[];
  change(policy.value.permissions);
  policy.ref = hashJson(policy.value as Json);
  const right = callDigest(turn, { ...call, policy_ref: policy.ref });
  replaced(lines, ref!, policy.ref as string);
  replaced(lines, digest!, right);
  replaced(lines, digest!.slice(0, 16), right.slice(0, 16));
  replaced(lines, key!, idempotencyKey({ ...turn, call_id: call.id, digest: right }));
}

const calls = (lines: OpenLine[]) => attributes(one(lines, ofType('WORKFLOW_EXECUTION_COMPLETED'))).result.payloads[0].$.calls;
/** The turn's result shows the decisions that the call ran with. */
function shownAsRun(lines: OpenLine[]): void {
  const { approvals } = run(lines);
  const { approval } = calls(lines).find(({ digest }: any) => digest === run(lines).call.digest);
  const [last] = approvals.slice(-1);
  const decisions = approvals.map(({ decision, by, at, note, channel, identity, attestation }: any) => {
    return { decision, by, at, note, channel, identity, attested: attestation !== undefined };
  });
  const decision = approvals.length >= approval.quorum ? last.decision : null;
  Object.assign(approval, { by: approvals.map(({ by }: any) => by), decision, note: last?.note ?? null, decisions });
}

/** No decision is signed, and no worker has looked at a signature; nor is the start, where that is wanted. */
function unsigned(lines: OpenLine[], start = false): void {
  for (const line of lines.filter(scheduled('checkDecision'))) attributes(line).activityType.name = 'closeQuestion';
  const text = JSON.stringify(lines, (key, value: any) => {
    if (key === 'attested') return false;
    if (typeof value?.attestation !== 'string') return value as unknown;
    const { attestation, ...said } = value;
    const { decision, principal: by } = claimsIn(attestation as string);
    return decision === undefined && !start ? (value as unknown) : { by, ...said };
  });
  lines.splice(0, lines.length, ...(JSON.parse(text) as OpenLine[]));
}

/** Nobody had to be asked, by history and transcript. */
function unasked(lines: OpenLine[]): void {
  bodyOf(lines, isAdmission).verdict = 'allow';
  resultOf(lines, 'takeStep').calls[0].verdict = 'allow';
  Object.assign(run(lines), { verdict: 'allow', approvals: [] });
  unchained(lines, block('decision'));
  shownAsRun(lines);
}

/** The claims of an attestation, as somebody else would have signed them. */
function claimsIn(token: string): DecisionClaims {
  return readToken(token)!.claims as unknown as DecisionClaims;
}

/** The last approval of the call, signed with one note, and with another beside it wherever it stands. */
export function noted(lines: OpenLine[], signed: string | null, beside: string | null): void {
  const { attestation } = run(lines).approvals.at(-1);
  const claims = claimsIn(attestation as string);
  const token = attestDecision(GATEWAY_KEY, { ...claims, note_hash: noteHash(signed) }, null, claims.iat * 1000);
  replaced(lines, attestation as string, token);
  const text = JSON.stringify(lines, (_, value: any) => (value?.attestation === token ? { ...value, note: beside } : value));
  lines.splice(0, lines.length, ...(JSON.parse(text) as OpenLine[]));
  shownAsRun(lines);
}

/** A decision that refused a call, as the next step was told and as the transcript has it. */
const decided = (lines: OpenLine[], decision: string): any[] => [
  ...lines.flatMap((line) => attributes(line)?.input?.payloads?.[0]?.$?.outcomes ?? []).map((outcome) => outcome.decision),
  bodyOf(lines, (body) => body?.decision === decision),
];

/** Its time, everywhere. */
function dated(lines: OpenLine[], decision: string, change: (at: string) => string): void {
  const at = change(bodyOf(lines, (body) => body?.decision === decision).at as string);
  for (const one of [...decided(lines, decision), calls(lines)[0].approval.decisions[0]]) one.at = at;
}

/** The call is another, with all digests and keys that follow. */
function asCall(lines: OpenLine[], change: object): void {
  const { call, turn } = run(lines);
  const { idempotency_key: key } = bodyOf(lines, isDispatch);
  const right = callDigest(turn, { ...call, ...change });
  replaced(lines, call.digest as string, right);
  replaced(lines, (call.digest as string).slice(0, 16), right.slice(0, 16));
  replaced(lines, key as string, idempotencyKey({ ...turn, call_id: call.id, digest: right }));
}

/** Everything that records the outcome of the call. */
const ends = (lines: OpenLine[]): any[] => [
  resultOf(lines, 'runCall'),
  value(lines.find((line) => scheduled('takeStep')(line) && value(line).step === 2)!).outcomes[0],
  calls(lines)[0],
];

/** Leaves the last blocks out; what named them names the block before. */
function cutOff(lines: OpenLine[], count: number): void {
  for (let n = 0; n < count; n++) {
    const last = lines.filter(({ kind }) => kind === 'block').at(-1)!;
    unchained(lines, (line) => line === last);
    replaced(lines, last.body.ref as string, last.body.block.parent as string);
  }
}

/** The call has had no outcome: no block says so. */
function unended(lines: OpenLine[], state: string): void {
  const [dispatch, effect] = [one(lines, block('dispatch')).body.ref, one(lines, block('effect')).body.ref] as string[];
  unchained(lines, block('effect'));
  replaced(lines, effect!, dispatch!);
  for (const one of ends(lines)) Object.assign(one, { state: 'failed', effect: 'not_applied' });
  Object.assign(bodyOf(lines, (body) => body?.envelope).envelope, { success: false, error: null });
  Object.assign(one(lines, kind('effect')).body.record, { state, result_head: null, result_ref: null });
}

/** Marks the turn as still running. */
function incomplete(lines: OpenLine[]): void {
  Object.assign(one(lines, kind('turn_end')).body, { complete: false, why: 'It was running still when this was exported.' });
  one(lines, kind('end')).body.complete = false;
}

/** One fact of a session about its turn, changed. */
interface FromSession {
  name: string;
  type: string;
  edit(line: OpenLine): void;
  says: RegExp;
  rule?: string;
}

const INITIATED = 'CHILD_WORKFLOW_EXECUTION_INITIATED';
const CHILD = 'CHILD_WORKFLOW_EXECUTION_STARTED';
const found = (line: OpenLine) => attributes(line).result.payloads[0].$;
const asLate =
  (by: number) =>
  ({ body: { event } }: OpenLine) =>
    void (event.eventTime = new Date(Date.parse(event.eventTime) + by).toISOString());

const FROM_SESSION: FromSession[] = [
  ...Object.entries({
    ...{ state: 'failed', reason: 'It broke.', usage: { input_tokens: 1 }, context_full: true },
    ended_at: '2020-01-01T00:00:00.000Z',
  }).map(([field, other]) => ({
    name: `another ${field} of the end`,
    type: 'ACTIVITY_TASK_COMPLETED',
    edit: (line: OpenLine) => void (found(line)[field] = other),
    rule: 'D1',
    says: new RegExp(`The session says that ${field} of the turn`),
  })),
  { name: 'no head', type: 'ACTIVITY_TASK_COMPLETED', edit: (line) => void (found(line).head = null), says: /another end/ },
  {
    name: 'it has not found the turn',
    type: 'ACTIVITY_TASK_COMPLETED',
    edit: (line) => void (attributes(line).result.payloads[0].$ = { state: 'lost', reason: 'Nobody knows it.' }),
    says: /has not found the turn/,
  },
  {
    name: 'an answer to nothing',
    type: 'ACTIVITY_TASK_COMPLETED',
    edit: (line) => void (attributes(line).scheduledEventId = '9'),
    says: /asked nothing/,
  },
  { name: 'the end is found too early', type: 'ACTIVITY_TASK_COMPLETED', edit: asLate(-HOUR), says: /times were changed/ },
  {
    name: 'asked about another session',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (value(line).session_id = 'another'),
    rule: 'D1',
    says: /session_id of the turn/,
  },
  {
    name: 'asked about another message',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (value(line).of.message_hash = NOWHERE),
    says: /another message/,
  },
  {
    name: 'asked about another life',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (value(line).of.session_run = 'r'),
    says: /another run of it/,
  },
  {
    name: 'asked something else',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (attributes(line).activityType.name = 'checkFork'),
    says: /something else/,
  },
  {
    name: 'asked under the name of a call',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (attributes(line).activityId = '1.1:pay'),
    says: /something else/,
  },
  {
    name: 'asked other workers',
    type: 'TASK_SCHEDULED',
    edit: (line) => void (attributes(line).taskQueue.name = 'other'),
    says: /other workers/,
  },
  { name: 'asked before', type: 'TASK_SCHEDULED', edit: asLate(-HOUR), says: /times were changed/ },
  {
    name: 'another workflow was started',
    type: CHILD,
    edit: (line) => void (attributes(line).workflowExecution.workflowId = 'turn/x'),
    says: /another workflow/,
  },
  {
    name: 'another type was started',
    type: CHILD,
    edit: (line) => void (attributes(line).workflowType.name = 'call'),
    says: /another workflow/,
  },
  {
    name: 'another start is answered',
    type: CHILD,
    edit: (line) => void (attributes(line).initiatedEventId = '9'),
    says: /something else than it asked for/,
  },
  { name: 'started long before', type: CHILD, edit: asLate(-HOUR), says: /times were changed/ },
  {
    name: 'of another type',
    type: INITIATED,
    edit: (line) => void (attributes(line).workflowType.name = 'call'),
    says: /another type/,
  },
  {
    name: 'on another task queue',
    type: INITIATED,
    edit: (line) => void (attributes(line).taskQueue.name = 'other'),
    says: /another task queue/,
  },
  {
    name: 'for somebody else',
    type: INITIATED,
    edit: (line) => void (attributes(line).searchAttributes.indexedFields.HoldfastRequester.$ = 'mallory'),
    says: /another HoldfastRequester/,
  },
  {
    name: 'under another trace',
    type: INITIATED,
    edit: (line) => void (attributes(line).memo.fields.holdfast_trace.$ = 'another'),
    says: /another holdfast_trace/,
  },
  { name: 'started after it began', type: INITIATED, edit: asLate(HOUR), says: /after it began/ },
  {
    name: 'no number',
    type: INITIATED,
    edit: (line) => void (line.body.event.eventId = '44x'),
    says: /not started by this event|order/,
  },
  {
    name: 'a number too long to count',
    type: 'UPDATE_ACCEPTED',
    edit: (line) => void (line.body.event.eventId = '4'.repeat(5000)),
    says: /order/,
  },
  {
    name: 'no time',
    type: 'UPDATE_ACCEPTED',
    edit: (line) => void (line.body.event.eventTime = 'noon'),
    says: /times were changed/,
  },
  {
    name: 'another update',
    type: 'UPDATE_ACCEPTED',
    edit: (line) => void (attributes(line).acceptedRequest.input.name = 'rename'),
    says: /no message/,
  },
  {
    name: 'somewhere else to tell of it',
    type: 'UPDATE_ACCEPTED',
    edit: (line) => void (attributes(line).acceptedRequest.input.args.payloads[0].$.callback_ref = NOWHERE),
    says: /another callback_ref/,
  },
  {
    name: 'another message is answered',
    type: 'UPDATE_COMPLETED',
    edit: (line) => void (attributes(line).acceptedEventId = '9'),
    says: /answered another message/,
  },
  {
    name: 'the answer to another update',
    type: 'UPDATE_COMPLETED',
    edit: (line) => void (attributes(line).meta.updateId = 'u'),
    says: /answered another message/,
  },
  {
    name: 'the message had come before',
    type: 'UPDATE_COMPLETED',
    edit: (line) => void (attributes(line).outcome.success.payloads[0].$.again = true),
    says: /had the message before/,
  },
  { name: 'answered long before', type: 'UPDATE_COMPLETED', edit: asLate(-HOUR), says: /times were changed/ },
];

const PLANS: Plan[] = [
  {
    name: 'the run has another input than was approved',
    of: 'approval',
    edit: (lines) => void (run(lines).call.input.cents = 70_000),
    at: scheduled('runCall'),
    rule: 'H3',
    says: /another input/,
  },
  {
    name: 'another input, with its hash',
    of: 'approval',
    edit: (lines) => {
      const { call } = run(lines);
      call.input.cents = 70_000;
      call.input_hash = hashJson(call.input as Json);
    },
    at: scheduled('runCall'),
    rule: 'H3',
    says: /not the one that its digest names/,
  },
  {
    name: 'the activity has the id of another call',
    of: 'approval',
    edit: (lines) => void (attributes(one(lines, scheduled('runCall'))).activityId = '1.1:pay:0123456789abcdef'),
    at: scheduled('runCall'),
    rule: 'H3',
    says: /id of the activity/,
  },
  {
    name: 'the call is of another turn',
    of: 'approval',
    edit: (lines) => void (run(lines).turn.workflow_id = 'turn/other'),
    at: scheduled('runCall'),
    rule: 'H3',
    says: /another turn/,
  },
  {
    name: 'somebody else approved, by the argument',
    of: 'approval',
    edit: (lines) => void (run(lines).approvals[0].by = 'mallory'),
    at: scheduled('runCall'),
    rule: 'H4',
    says: /no signal or update/,
  },
  {
    name: 'somebody else approved, by the update',
    of: 'approval',
    edit: (lines) => void (decide(lines).by = 'mallory'),
    at: scheduled('runCall'),
    rule: 'H4',
    says: /no signal or update/,
  },
  {
    name: 'the approval was a denial',
    of: 'approval',
    edit: (lines) => void (decide(lines).decision = 'deny'),
    at: scheduled('runCall'),
    rule: 'H4',
    says: /no signal or update/,
  },
  {
    name: 'the approval was for another call',
    of: 'approval',
    edit: (lines) => void (decide(lines).call = NOWHERE),
    at: scheduled('runCall'),
    rule: 'H4',
    says: /no signal or update/,
  },
  {
    name: 'the approval came after it had expired',
    of: 'approval',
    edit: (lines) => void (run(lines).approvals[0].expires_at = earlier(run(lines).approvals[0].at as string)),
    at: scheduled('runCall'),
    rule: 'H4',
    says: /expired/,
  },
  {
    name: 'the approval was good for longer than anybody was asked',
    of: 'approval',
    edit: (lines) => void (run(lines).approvals[0].expires_at = later(run(lines).approvals[0].expires_at as string)),
    at: scheduled('runCall'),
    rule: 'H6',
    says: /nobody was asked until/,
  },
  {
    name: 'the approval is dated back',
    of: 'approval',
    edit: (lines) => void (run(lines).approvals[0].at = earlier(run(lines).approvals[0].at as string)),
    at: scheduled('runCall'),
    rule: 'H6',
    says: /before the signal or update that gave it/,
  },
  {
    name: 'the approval is dated after its effect, everywhere',
    of: 'approval',
    edit: (lines) => {
      const [{ at }] = run(lines).approvals;
      for (const one of [run(lines).approvals[0], bodyOf(lines, isDecision), calls(lines)[0].approval.decisions[0]])
        one.at = later(at as string);
    },
    at: scheduled('runCall'),
    rule: 'H6',
    says: /after the call was to run/,
  },
  {
    name: 'the approval is dated after its effect, and the history does not have the call',
    of: 'approval',
    edit: (lines) => {
      const { at } = bodyOf(lines, isDecision);
      bodyOf(lines, isDecision).at = later(at as string);
      calls(lines)[0].approval.decisions[0].at = later(at as string);
      attributes(one(lines, scheduled('runCall'))).input.payloads[0] = { redacted: true };
      one(lines, kind('end')).body.redaction = {
        of: { root: NOWHERE, kid: '', signature: '' },
        parts: 0,
        payloads: 1,
        reason: '',
      };
    },
    at: block('decision'),
    rule: 'B6',
    says: /after it was written down/,
  },
  {
    name: 'the approval is dated after its effect, and the call is hidden by what only looks like a redaction',
    of: 'approval',
    edit: (lines) => {
      const { at } = bodyOf(lines, isDecision);
      bodyOf(lines, isDecision).at = later(at as string);
      calls(lines)[0].approval.decisions[0].at = later(at as string);
      attributes(one(lines, scheduled('runCall'))).input.payloads[0] = { redacted: true, x: 0 };
    },
    at: scheduled('runCall'),
    rule: 'H3',
    says: /is of another turn/,
  },
  {
    name: 'the denial is dated back, everywhere',
    of: 'denied',
    edit: (lines) => dated(lines, 'deny', earlier),
    at: block('decision'),
    rule: 'B6',
    says: /before the signal or update/,
  },
  {
    name: 'the denial is dated after the time that people were given, everywhere',
    of: 'denied',
    edit: (lines) => {
      dated(lines, 'deny', (at) => at);
      for (const one of decided(lines, 'deny')) one.expires_at = earlier(one.at as string);
    },
    at: block('decision'),
    rule: 'B6',
    says: /after the time to decide/,
  },
  {
    name: 'people had no time to decide, by the transcript and the history',
    of: 'expired',
    edit: (lines) => dated(lines, 'expired', earlier),
    at: block('decision'),
    rule: 'B6',
    says: /expired before it had/,
  },
  {
    name: 'the settlement is dated after it counted',
    of: 'in_doubt',
    edit: (lines) => {
      const argument = value(one(lines, scheduled('settleEffect')));
      argument.at = later(argument.at as string);
    },
    at: scheduled('settleEffect'),
    rule: 'H6',
    says: /after it counted/,
  },
  {
    name: 'the settlement is dated back',
    of: 'in_doubt',
    edit: (lines) => {
      const argument = value(one(lines, scheduled('settleEffect')));
      argument.at = earlier(argument.at as string);
    },
    at: scheduled('settleEffect'),
    rule: 'H6',
    says: /before the signal or update/,
  },
  {
    name: 'claimed an hour after history had its outcome',
    of: 'approval',
    edit: (lines) => {
      const { record } = one(lines, kind('effect')).body;
      record.claimed_at = later(record.claimed_at as string);
      record.updated_at = later(record.updated_at as string);
    },
    at: kind('effect'),
    rule: 'T2',
    says: /after history had its outcome/,
  },
  {
    name: 'claimed an hour after the bundle was made, by a turn that is not complete',
    of: 'approval',
    edit: (lines) => {
      unended(lines, 'claimed');
      incomplete(lines);
      const { record } = one(lines, kind('effect')).body;
      record.claimed_at = record.updated_at = later(one(lines, kind('bundle')).body.made_at as string);
    },
    at: kind('effect'),
    rule: 'T2',
    says: /after the bundle was made/,
  },
  {
    name: 'it is unknown when the bundle was made, and whether an effect was claimed before',
    of: 'approval',
    edit: (lines) => {
      unended(lines, 'claimed');
      incomplete(lines);
      one(lines, kind('bundle')).body.made_at = '2026-11-22T09:00:26+00:00';
    },
    at: kind('effect'),
    rule: 'T2',
    says: /after the bundle was made/,
  },
  {
    name: 'claimed by a run that was reset, an hour after the bundle was made',
    of: 'reset',
    edit: (lines) => {
      incomplete(lines);
      const { record } = one(lines, kind('effect')).body;
      Object.assign(record, { state: 'claimed', result_head: null, result_ref: null });
      record.claimed_at = record.updated_at = later(one(lines, kind('bundle')).body.made_at as string);
    },
    at: kind('effect'),
    rule: 'T2',
    says: /after the bundle was made/,
  },
  {
    name: 'changed an hour after the bundle was made, where history does not begin with the turn',
    of: 'approval',
    edit: (lines) => {
      const began = lines.findIndex(kind('run'));
      lines.splice(began, lines.filter((line) => line.kind === 'run' || line.kind === 'event').length);
      incomplete(lines);
      const { record } = one(lines, kind('effect')).body;
      record.updated_at = later(one(lines, kind('bundle')).body.made_at as string);
    },
    at: kind('effect'),
    rule: 'T2',
    says: /after the bundle was made/,
  },
  {
    name: 'somebody else settled, by the argument',
    of: 'in_doubt',
    edit: (lines) => void (value(one(lines, scheduled('settleEffect'))).by = 'mallory'),
    at: scheduled('settleEffect'),
    rule: 'H6',
    says: /"mallory".*no signal or update/,
  },
  {
    name: 'a settlement with another outcome than the person gave',
    of: 'in_doubt',
    edit: (lines) => void (value(one(lines, scheduled('settleEffect'))).outcome = 'not_applied'),
    at: scheduled('settleEffect'),
    rule: 'H6',
    says: /said to have settled/,
  },
  {
    name: 'one person counts twice, once with a character that nobody sees',
    of: 'approval',
    edit: (lines) => {
      const { approvals } = run(lines);
      approvals.push({ ...approvals[0], by: 'An\u200ba ' });
    },
    at: scheduled('runCall'),
    rule: 'H4',
    says: /twice/,
  },
  {
    name: 'an event is left out',
    of: 'approval',
    edit: (lines) => void without(lines, ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED')),
    at: (line) => line.kind === 'event' && line.body.event.eventType.includes('UPSERT') && line.body.event.eventId === '23',
    rule: 'H1',
    says: /events are missing/,
  },
  {
    name: 'an event is moved an hour back',
    of: 'approval',
    edit: (lines) => {
      const { event } = one(lines, ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED')).body;
      event.eventTime = earlier(event.eventTime as string);
    },
    at: ofType('WORKFLOW_EXECUTION_UPDATE_ACCEPTED'),
    rule: 'H1',
    says: /times were changed/,
  },
  {
    name: 'the history is of another workflow',
    of: 'approval',
    edit: (lines) => void (attributes(one(lines, ofType('WORKFLOW_EXECUTION_STARTED'))).firstExecutionRunId = 'other'),
    at: ofType('WORKFLOW_EXECUTION_STARTED'),
    rule: 'H2',
    says: /another turn/,
  },
  {
    name: 'the history was started for another turn',
    of: 'approval',
    edit: (lines) => void (argument(lines).turn_id = 'other'),
    at: ofType('WORKFLOW_EXECUTION_STARTED'),
    rule: 'H2',
    says: /turn "other"/,
  },
  {
    name: 'a run that began by a reset, by its line: such a run has fewer checks',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('run')).body.began = 'reset'),
    at: ofType('WORKFLOW_EXECUTION_STARTED'),
    rule: 'H2',
    says: /begun otherwise/,
  },
  {
    name: 'a signature by a key that nobody trusts',
    of: 'quorum',
    edit: (lines) => {
      const [{ attestation }] = run(lines).approvals;
      const signed = attestDecision(
        STRANGER_KEY,
        claimsIn(attestation as string),
        null,
        claimsIn(attestation as string).iat * 1000,
      );
      replaced(lines, attestation as string, signed);
    },
    at: scheduled('runCall'),
    rule: 'H5',
    says: /not in the trust file/,
  },
  {
    name: 'a signature for another call',
    of: 'quorum',
    edit: (lines) => {
      const { attestation } = run(lines).approvals[1];
      const claims = { ...claimsIn(attestation as string), digest: NOWHERE };
      replaced(lines, attestation as string, attestDecision(GATEWAY_KEY, claims, null, claims.iat * 1000));
    },
    at: scheduled('runCall'),
    rule: 'H5',
    says: /another call/,
  },
  {
    name: 'a signature for claims in another spelling: a field is null that is to be left out',
    of: 'quorum',
    edit: (lines) => {
      const { attestation } = run(lines).approvals[1];
      const claims = { ...claimsIn(attestation as string), outcome: null as never };
      replaced(lines, attestation as string, attestDecision(GATEWAY_KEY, claims, null, claims.iat * 1000));
    },
    at: scheduled('runCall'),
    rule: 'H5',
    says: /signed/,
  },
  ...(
    [
      ['another note than was signed', 'Half of it.', 'All of it.'],
      ['a note where none was signed', null, 'All of it.'],
      ['a note taken away that was signed', 'Half of it.', null],
    ] as const
  ).map(([name, signed, beside]): Plan => ({
    name,
    of: 'quorum',
    edit: (lines) => noted(lines, signed, beside),
    at: scheduled('runCall'),
    rule: 'H5',
    says: /signed with another note, or with none/,
  })),
  {
    name: 'a signed approval of somebody else',
    of: 'quorum',
    edit: (lines) => {
      const { approvals } = run(lines);
      approvals[1].attestation = approvals[0].attestation;
    },
    at: scheduled('runCall'),
    rule: 'H5',
    says: /signed by "ana"/,
  },
  {
    name: 'a start that somebody has signed whom nobody trusts',
    of: 'quorum',
    edit: (lines) => {
      const { attestation } = argument(lines);
      const { v: _, iat, exp: __, nonce: ___, kid: ____, ...claims } = readToken(attestation as string)!.claims as any;
      replaced(lines, attestation as string, attestStart(STRANGER_KEY, claims, iat * 1000));
    },
    at: block('start'),
    rule: 'H7',
    says: /not in the trust file/,
  },
  {
    name: 'a start that was signed for another message',
    of: 'quorum',
    edit: (lines) => {
      const { attestation } = argument(lines);
      const { v: _, iat, exp: __, nonce: ___, kid: ____, ...claims } = readToken(attestation as string)!.claims as any;
      const other = { ...claims, message_hash: NOWHERE };
      replaced(lines, attestation as string, attestStart(GATEWAY_KEY, other, iat * 1000));
    },
    at: block('start'),
    rule: 'H7',
    says: /another message/,
  },
  {
    name: 'a start without a signature, where decisions are signed',
    of: 'quorum',
    edit: (lines) => {
      delete argument(lines).attestation;
      delete value(one(lines, scheduled('takeStep'))).attestation;
      delete bodyOf(lines, isStart).attestation;
    },
    at: block('start'),
    rule: 'H7',
    says: /not signed/,
  },
  {
    name: 'a signed transcript was rewritten: another message, in the history too',
    of: 'quorum',
    edit: (lines) => {
      const said = argument(lines).message as string;
      replaced(lines, JSON.stringify(said).slice(1, -1), 'Pay INV-8.');
      bodyOf(lines, isStart).message_hash = hashJson('Pay INV-8.');
      requested(lines);
    },
    at: block('start'),
    rule: 'H7',
    says: /another message/,
  },
  {
    name: 'a signed transcript was rewritten: another model has answered, in the history too',
    of: 'quorum',
    edit: (lines) => replaced(lines, bodyOf(lines, isAdmission).tool_use_id as string, 'toolu_other'),
    at: block('decision'),
    rule: 'H5',
    says: /another transcript/,
  },
  {
    name: 'a block from an hour before',
    of: 'approval',
    edit: (lines) =>
      void (one(lines, block('effect')).body.block.at = earlier(one(lines, block('effect')).body.block.at as string)),
    at: block('effect'),
    rule: 'B2',
    says: /outside of the time/,
  },
  {
    name: 'somebody else asked, by the transcript',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isStart).requester = 'mallory'),
    at: block('start'),
    rule: 'B3',
    says: /asked/,
  },
  {
    name: 'another message, by the history',
    of: 'approval',
    edit: (lines) => {
      argument(lines).message = 'Pay INV-8.';
      value(one(lines, scheduled('takeStep'))).message = 'Pay INV-8.';
      requested(lines);
    },
    at: block('start'),
    rule: 'B3',
    says: /another message/,
  },
  {
    name: 'a direct call of another input, by the history',
    of: 'call',
    edit: (lines) => {
      const asked = value(one(lines, scheduled('admitDirect')));
      asked.input_json = argument(lines).input_json = '{"invoice":"INV-8","cents":700}';
      requested(lines);
    },
    at: block('start'),
    rule: 'B3',
    says: /another call/,
  },
  {
    name: 'the model was shown another message',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, (body) => body?.text === argument(lines).message).text = 'Pay INV-8.'),
    at: block('admission'),
    rule: 'B4',
    says: /not shown the message/,
  },
  {
    name: 'the rules asked, and the transcript says that they allowed',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isAdmission).verdict = 'allow'),
    at: part(isAdmission),
    rule: 'D2',
    says: /otherwise/,
  },
  {
    name: 'another tool was admitted than the model asked for',
    of: 'approval',
    edit: (lines) => {
      const [call] = resultOf(lines, 'takeStep').calls;
      Object.assign(call, { tool: 'lookup', input_digest: inputDigest({ ...call, tool: 'lookup' }) });
      noneWait(lines);
    },
    at: (line, _, lines) => line === lines.filter(scheduled('admitCall'))[0],
    rule: 'D2',
    says: /otherwise/,
  },
  {
    name: 'the model asked for something else, by the history',
    of: 'plain',
    edit: (lines) => {
      const [call] = resultOf(lines, 'takeStep').calls;
      run(lines).call.input_ref = call.input_ref = NOWHERE;
    },
    at: block('admission'),
    rule: 'B5',
    says: /not what the history says/,
  },
  {
    name: 'a decision that nobody took',
    of: 'denied',
    edit: (lines) => void (bodyOf(lines, (body) => body?.decision).by = 'mallory'),
    at: block('decision'),
    rule: 'B6',
    says: /no signal or update/,
  },
  {
    name: 'a dispatch of a call that was never scheduled',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isDispatch).digest = NOWHERE),
    at: block('dispatch'),
    rule: 'B7',
    says: /history does not know/,
  },
  {
    name: 'a dispatch under another key',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isDispatch).idempotency_key = `hf_${'0'.repeat(40)}`),
    at: block('dispatch'),
    rule: 'B7',
    says: /idempotency key/,
  },
  {
    name: 'the rules had refused what was dispatched',
    of: 'approval',
    edit: (lines) => {
      bodyOf(lines, isAdmission).verdict = 'rejected';
      resultOf(lines, 'takeStep').calls[0].verdict = 'rejected';
    },
    at: block('dispatch'),
    rule: 'B8',
    says: /no rule had let it pass/,
  },
  {
    name: 'another input was admitted than was dispatched',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isAdmission).input.cents = 7),
    at: part(isAdmission),
    rule: 'B12',
    says: /another input/,
  },
  {
    name: 'one approval, where two were asked for',
    of: 'quorum',
    edit: (lines) => {
      run(lines).approvals.pop();
      shownAsRun(lines);
      unchained(
        lines,
        (line) =>
          block('decision')(line) &&
          line.body.block.parts.includes(
            one(
              lines,
              part((body) => body?.by === 'bob'),
            ).body.ref,
          ),
      );
    },
    at: block('dispatch'),
    rule: 'B9',
    says: /1 approvals, and 2/,
  },
  {
    name: 'approvals without signatures, where signed ones were asked for',
    of: 'quorum',
    edit: (lines) => {
      unsigned(lines);
      shownAsRun(lines);
    },
    at: block('dispatch'),
    rule: 'B9',
    says: /not signed/,
  },
  {
    name: 'an approval by the person who changed the input',
    of: 'edited',
    edit: (lines) => {
      replaced(lines, '"by":"bob"', '"by":"ana"');
      shownAsRun(lines);
    },
    at: block('dispatch'),
    rule: 'B9',
    says: /changed it or steered the turn/,
  },
  {
    name: 'a schedule approved, everywhere',
    of: 'approval',
    edit: (lines) => replaced(lines, '"ana"', '"schedule/night"'),
    at: block('dispatch'),
    rule: 'B9',
    says: /approved the call, and is a schedule/,
  },
  {
    name: 'a trigger approved, everywhere',
    of: 'approval',
    edit: (lines) => replaced(lines, '"ana"', '"trigger/night"'),
    at: block('dispatch'),
    rule: 'B9',
    says: /approved the call, and is a trigger/,
  },
  {
    name: 'the decision is missing in the transcript',
    of: 'approval',
    edit: (lines) => unchained(lines, block('decision')),
    at: block('dispatch'),
    rule: 'B9',
    says: /Other people approved/,
  },
  {
    name: "another policy than the agent's",
    of: 'quorum',
    edit: (lines) => void (bodyOf(lines, isDispatch).approval.quorum = 1),
    at: block('dispatch'),
    rule: 'B10',
    says: /another approval policy/,
  },
  {
    name: 'a call of another agent, with a digest that fits',
    of: 'bound',
    edit: (lines) => {
      const argument = value(one(lines, scheduled('runCall')));
      argument.turn.agent = 'payables';
      const right = callDigest(argument.turn, argument.call);
      const key = idempotencyKey({ ...argument.turn, call_id: argument.call.id, digest: right });
      const { idempotency_key: before } = bodyOf(lines, isDispatch);
      const asked = { ...resultOf(lines, 'admitCall') };
      replaced(lines, argument.call.digest as string, right);
      replaced(lines, (argument.call.digest as string).slice(0, 16), right.slice(0, 16));
      replaced(lines, before as string, key);
      Object.assign(resultOf(lines, 'admitCall') as object, asked);
    },
    at: scheduled('runCall'),
    rule: 'H5',
    says: /signed for another call/,
  },
  {
    name: 'a call over another store than the turn began over',
    of: 'bound',
    edit: (lines) => void (bodyOf(lines, isStart).store_id = 'f'.repeat(32)),
    at: block('start'),
    rule: 'B3',
    says: /another store/,
  },
  {
    name: 'an agent that takes any name, beside rules that take signed decisions only',
    of: 'quorum',
    edit: (lines) => {
      const dispatch = bodyOf(lines, isDispatch);
      const definition = one(lines, (line) => line.kind === 'object' && line.body.ref === dispatch.definition_ref).body;
      const { ref } = definition;
      for (const approval of [dispatch.approval, ...Object.values<any>(definition.value.approvals)]) approval.channel = 'any';
      definition.ref = hashJson(definition.value as Json);
      replaced(lines, ref as string, definition.ref as string);
      unsigned(lines, true);
    },
    at: block('dispatch'),
    rule: 'B10',
    says: /take signed decisions only/,
  },
  {
    name: 'a call that only reads, in all places, has had an effect',
    of: 'approval',
    edit: (lines) => {
      asCall(lines, { class: 'read' });
      replaced(lines, '"class":"destructive"', '"class":"read"');
      replaced(lines, '"destructive pay@', '"read pay@');
    },
    at: (line) => ofType('ACTIVITY_TASK_COMPLETED')(line) && attributes(line).result.payloads[0].$.effect === 'applied',
    rule: 'D6',
    says: /A read call/,
  },
  {
    name: 'a call that only reads was dispatched',
    of: 'approval',
    edit: (lines) => {
      asCall(lines, { class: 'read' });
      replaced(lines, '"class":"destructive"', '"class":"read"');
      replaced(lines, '"destructive pay@', '"read pay@');
      for (const one of ends(lines)) one.effect = null;
    },
    at: block('dispatch'),
    rule: 'B7',
    says: /only destructive ones/,
  },
  {
    name: "another class than in the agent's definition, by the transcript, and the history does not have the call",
    of: 'approval',
    edit: (lines) => {
      for (const { body } of lines.filter(part((body) => body?.subject))) body.part.body.subject.class = 'write';
      delete calls(lines)[0].class;
      for (const name of ['runCall', 'admitCall']) attributes(one(lines, scheduled(name))).input.payloads[0] = { redacted: true };
      const { eventId } = one(lines, scheduled('takeStep')).body.event;
      const answered = lines.find((line) => attributes(line)?.scheduledEventId === eventId && attributes(line).result)!;
      attributes(answered).result.payloads[0] = { redacted: true };
      const next = lines.find((line) => scheduled('takeStep')(line) && value(line).step === 2)!;
      attributes(next).input.payloads[0] = { redacted: true };
      one(lines, kind('end')).body.redaction = {
        of: { root: NOWHERE, kid: '', signature: '' },
        parts: 0,
        payloads: 4,
        reason: '',
      };
    },
    at: block('dispatch'),
    rule: 'B10',
    says: /class "write"/,
  },
  {
    name: 'nothing happened, in all places beside a success',
    of: 'approval',
    edit: (lines) => {
      for (const one of [...ends(lines), bodyOf(lines, isEffect)]) one.effect = 'not_applied';
      one(lines, kind('effect')).body.record.state = 'not_applied';
    },
    at: (line) => ofType('ACTIVITY_TASK_COMPLETED')(line) && attributes(line).result.payloads[0].$.effect === 'not_applied',
    rule: 'D6',
    says: /succeeded, with the effect "not_applied"/,
  },
  {
    name: 'nothing happened, by all but the envelope that the tool has answered',
    of: 'approval',
    edit: (lines) => {
      for (const one of ends(lines)) Object.assign(one, { state: 'failed', effect: 'not_applied' });
      bodyOf(lines, isEffect).effect = 'not_applied';
      one(lines, kind('effect')).body.record.state = 'not_applied';
    },
    at: part((body) => body?.envelope),
    rule: 'D6',
    says: /success of the result/,
  },
  {
    name: 'what was dispatched has no outcome',
    of: 'approval',
    edit: (lines) => unended(lines, 'not_applied'),
    at: kind('turn_end'),
    rule: 'T3',
    says: /nothing says what became of it/,
  },
  {
    name: 'an effect was claimed, and has no outcome',
    of: 'approval',
    edit: (lines) => unended(lines, 'claimed'),
    at: kind('turn_end'),
    rule: 'T3',
    says: /nothing says what became of it/,
  },
  {
    name: 'nobody was asked about a call that the rules ask about',
    of: 'approval',
    edit: unasked,
    at: part(isAdmission),
    rule: 'B12',
    says: /without being asked about.*always asks/,
  },
  {
    name: 'nobody was asked, and what the rules looked at is left out',
    of: 'approval',
    edit: (lines) => {
      unasked(lines);
      bodyOf(lines, isAdmission).facts = null;
    },
    at: part(isAdmission),
    rule: 'B12',
    says: /not written down/,
  },
  {
    name: 'nobody was asked, and a part of what the rules looked at is left out',
    of: 'approval',
    edit: (lines) => {
      unasked(lines);
      delete bodyOf(lines, isAdmission).facts.target;
    },
    at: part(isAdmission),
    rule: 'B12',
    says: /not all that the rules looked at/,
  },
  {
    name: 'rules that forbid what ran',
    of: 'approval',
    edit: (lines) => underRules(lines, ({ deny }) => deny.push({ rule: 'pay' })),
    at: part(isAdmission),
    rule: 'B12',
    says: /rules forbid it.*deny pay/,
  },
  {
    name: 'the rules were asked about another tool',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isAdmission).facts.egress = true),
    at: part(isAdmission),
    rule: 'B12',
    says: /not the tool/,
  },
  {
    name: 'rules that forbid it once outsiders had been read',
    of: 'approval',
    edit: (lines) => {
      underRules(lines, ({ deny }) => deny.push({ rule: 'pay', when: 'turn.untrusted' }));
      run(lines).untrusted = true;
    },
    at: part(isAdmission),
    rule: 'B12',
    says: /rules forbid it.*deny pay/,
  },
  {
    name: 'rules with a condition that forbid what ran',
    of: 'approval',
    edit: (lines) => underRules(lines, ({ deny }) => deny.push({ rule: 'p*', when: 'input.cents > 699 && has(input.invoice)' })),
    at: part(isAdmission),
    rule: 'B12',
    says: /rules forbid it.*deny p\* when input\.cents/,
  },
  {
    name: 'rules with a pattern that forbid what ran',
    of: 'approval',
    edit: (lines) => underRules(lines, ({ deny }) => deny.push({ rule: 'pay(*@bank.example)' })),
    at: part(isAdmission),
    rule: 'B12',
    says: /rules forbid it.*what the call touches could not be read/,
  },
  {
    name: 'the input that ran is left out of its turn',
    of: 'edited',
    edit: (lines) => void without(lines, (line) => line.kind === 'part' && line.body.ref === run(lines).call.input_ref),
    at: kind('turn_end'),
    rule: 'T4',
    says: /missing/,
  },
  {
    name: 'nothing happened, by the transcript',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isEffect).effect = 'not_applied'),
    at: block('effect'),
    rule: 'B11',
    says: /not_applied.*applied/,
  },
  {
    name: 'nothing happened, by the history',
    of: 'approval',
    edit: (lines) => void Object.assign(resultOf(lines, 'runCall'), { state: 'failed', effect: 'not_applied' }),
    at: (line) => scheduled('takeStep')(line) && value(line).step === 2,
    rule: 'D6',
    says: /whether it took effect/,
  },
  {
    name: 'nothing happened, by all that the history says',
    of: 'approval',
    edit: (lines) => {
      for (const one of ends(lines)) Object.assign(one, { state: 'failed', effect: 'not_applied' });
      Object.assign(bodyOf(lines, (body) => body?.envelope).envelope, { success: false, error: null });
    },
    at: block('effect'),
    rule: 'B11',
    says: /applied.*not_applied/,
  },
  {
    name: "nothing happened, by the turn's result",
    of: 'approval',
    edit: (lines) =>
      void (attributes(one(lines, ofType('WORKFLOW_EXECUTION_COMPLETED'))).result.payloads[0].$.calls[0].effect = 'not_applied'),
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D6',
    says: /whether it took effect/,
  },
  {
    name: "no call, by the turn's result",
    of: 'approval',
    edit: (lines) => void (attributes(one(lines, ofType('WORKFLOW_EXECUTION_COMPLETED'))).result.payloads[0].$.calls = []),
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D6',
    says: /leaves out a call/,
  },
  {
    name: "nobody decided, by the turn's result",
    of: 'approval',
    edit: (lines) => void Object.assign(calls(lines)[0].approval, { by: [], decision: null, note: null, decisions: [] }),
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D5',
    says: /other decisions/,
  },
  {
    name: "one of two decided, by the turn's result",
    of: 'quorum',
    edit: (lines) => {
      const { approval } = calls(lines)[0];
      Object.assign(approval, { by: ['ana'], decision: null, decisions: approval.decisions.slice(0, 1) });
    },
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D5',
    says: /other decisions/,
  },
  {
    name: 'nobody decided, by a result of the form from before there were lists of decisions',
    of: 'approval',
    edit: (lines) => {
      const { approval } = calls(lines)[0];
      delete approval.decisions;
      Object.assign(approval, { by: [], decision: null, note: null });
    },
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D5',
    says: /other decisions/,
  },
  {
    name: "the call was denied, by the turn's result",
    of: 'approval',
    edit: (lines) => void (calls(lines)[0].approval.decision = 'deny'),
    at: ofType('WORKFLOW_EXECUTION_COMPLETED'),
    rule: 'D5',
    says: /other decisions/,
  },
  {
    name: 'the call has no makers, by the argument that it ran with',
    of: 'edited',
    edit: (lines) => void delete run(lines).call.makers,
    at: scheduled('runCall'),
    rule: 'D3',
    says: /makers of the card/,
  },
  {
    name: 'people were shown another card, by the history',
    of: 'approval',
    edit: (lines) => void (resultOf(lines, 'admitCall').card += 'Pay 1 cent.'),
    at: part((body) => body?.card),
    rule: 'D3',
    says: /text of the card.*otherwise/,
  },
  {
    name: 'another trace, by one activity',
    of: 'approval',
    edit: (lines) => void (value(one(lines, scheduled('admitCall'))).turn.trace_id = 'trace_other'),
    at: scheduled('admitCall'),
    rule: 'D1',
    says: /trace_id of the turn/,
  },
  {
    name: 'another revision was dispatched, by whose call the block says it is',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isDispatch).subject.revision = 2),
    at: block('dispatch'),
    rule: 'D4',
    says: /revision of the call/,
  },
  {
    name: 'another note on the decision, by the transcript',
    of: 'approval',
    edit: (lines) => void (bodyOf(lines, isDecision).note = 'All of it.'),
    at: block('decision'),
    rule: 'D5',
    says: /something else than the history/,
  },
  {
    name: 'the effect record names a head that there is not',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('effect')).body.record.head = NOWHERE),
    at: kind('effect'),
    rule: 'D7',
    says: /in which its call was dispatched/,
  },
  {
    name: 'the effect record names a block that says nothing of what became of its call',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('effect')).body.record.result_head = one(lines, block('dispatch')).body.ref),
    at: kind('effect'),
    rule: 'D7',
    says: /names no block of the transcript that says so/,
  },
  {
    name: 'the model was told that nothing was paid',
    of: 'approval',
    edit: (lines) => {
      const [said] = bodyOf(lines, (body) => body?.type === 'tool_result').content;
      said.text = JSON.stringify({ success: true, data: { paid: false } });
    },
    at: kind('turn_end'),
    rule: 'D8',
    says: /tells the model something else/,
  },
  {
    name: 'people found out otherwise, by the transcript',
    of: 'in_doubt',
    edit: (lines) => void (bodyOf(lines, (body) => body?.outcome).outcome = 'not_applied'),
    at: block('settlement'),
    rule: 'B11',
    says: /not_applied/,
  },
  {
    name: 'nothing happened, by the effect record',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('effect')).body.record.state = 'not_applied'),
    at: kind('effect'),
    rule: 'T2',
    says: /not_applied/,
  },
  {
    name: 'claimed an hour before it was scheduled',
    of: 'approval',
    edit: (lines) => {
      const { record } = one(lines, kind('effect')).body;
      record.claimed_at = earlier(record.claimed_at as string);
    },
    at: kind('effect'),
    rule: 'T2',
    says: /before its call was scheduled/,
  },
  {
    name: 'the effect of a run that there was not',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('effect')).body.record.run_id = 'other'),
    at: kind('effect'),
    rule: 'T2',
    says: /run that the turn does not have/,
  },
  {
    name: 'the transcript ends before the end',
    of: 'approval',
    edit: (lines) => void (one(lines, kind('turn_end')).body.head = one(lines, block('effect')).body.ref),
    at: kind('turn_end'),
    rule: 'T1',
    says: /does not end where/,
  },
  {
    name: 'the end is left out, in the history too',
    of: 'approval',
    edit: (lines) => cutOff(lines, 1),
    at: kind('turn_end'),
    rule: 'T7',
    says: /has no end/,
  },
  {
    name: 'the last answer and the end are left out, in the history too',
    of: 'plain',
    edit: (lines) => cutOff(lines, 2),
    at: kind('turn_end'),
    rule: 'T7',
    says: /has no end/,
  },
  {
    name: 'the last admission and all after it are left out, in the history too',
    of: 'approval',
    edit: (lines) => {
      const blocks = lines.filter(({ kind }) => kind === 'block');
      cutOff(lines, blocks.length - blocks.findLastIndex(block('admission')));
    },
    at: kind('turn_end'),
    rule: 'T7',
    says: /has no end/,
  },
  {
    name: 'the last admission is left out of the transcript',
    of: 'approval',
    edit: (lines) => unchained(lines, (line) => line === lines.findLast(block('admission'))),
    at: kind('turn_end'),
    rule: 'T7',
    says: /admission/,
  },
  {
    name: 'the denial is left out of the transcript',
    of: 'denied',
    edit: (lines) => unchained(lines, block('decision')),
    at: kind('turn_end'),
    rule: 'T7',
    says: /decision that was written down/,
  },
  {
    name: 'a step went on from a transcript that is not there',
    of: 'approval',
    edit: (lines) => void (run(lines).head = resultOf(lines, 'takeStep').head = NOWHERE),
    at: kind('turn_end'),
    rule: 'T1',
    says: /not in the transcript/,
  },
  {
    name: 'the effect record is left out',
    of: 'approval',
    edit: (lines) => void without(lines, kind('effect')),
    at: kind('turn_end'),
    rule: 'T3',
    says: /no effect record/,
  },
  {
    name: 'the effect record is left out of a call whose outcome was taken over after a reset',
    of: 'taken_over',
    edit: (lines) => void without(lines, (line) => line.kind === 'effect' && line.body.record.tool === 'wages'),
    at: kind('turn_end'),
    rule: 'T3',
    says: /no effect record/,
  },
  {
    name: 'the card is left out',
    of: 'approval',
    edit: (lines) =>
      void without(
        lines,
        part((body) => body?.card),
      ),
    at: kind('turn_end'),
    rule: 'T4',
    says: /missing/,
  },
  {
    name: 'the rules are left out',
    of: 'approval',
    edit: (lines) => void without(lines, kind('object')),
    at: kind('turn_end'),
    rule: 'T4',
    says: /missing/,
  },
  {
    name: 'a turn that still runs is marked as complete',
    of: 'running',
    edit: (lines) => {
      Object.assign(one(lines, kind('turn_end')).body, { complete: true, why: null });
      one(lines, kind('end')).body.complete = true;
    },
    at: kind('turn_end'),
    rule: 'T5',
    says: /no beginning or no end/,
  },
  {
    name: 'the session was sent another message',
    of: 'spoken',
    edit: (lines) => void (sent(lines).message = 'Pay INV-8.'),
    at: ofSession('UPDATE_ACCEPTED'),
    rule: 'H8',
    says: /another message/,
  },
  {
    name: 'somebody else has sent the message to the session',
    of: 'spoken',
    edit: (lines) => void (sent(lines).requester = 'mallory'),
    at: ofSession('UPDATE_ACCEPTED'),
    rule: 'H8',
    says: /another requester/,
  },
  {
    name: 'the session has started the turn after another head',
    of: 'spoken',
    edit: (lines) => void (value(one(lines, ofSession('CHILD_WORKFLOW_EXECUTION_INITIATED'))).parent_head = NOWHERE),
    at: ofSession('CHILD_WORKFLOW_EXECUTION_INITIATED'),
    rule: 'H8',
    says: /another argument/,
  },
  {
    name: 'the session has started another run',
    of: 'spoken',
    edit: (lines) => void (attributes(one(lines, ofSession('CHILD_WORKFLOW_EXECUTION_STARTED'))).workflowExecution.runId = 'r'),
    at: ofSession('CHILD_WORKFLOW_EXECUTION_STARTED'),
    rule: 'H8',
    says: /another run/,
  },
  {
    name: 'another event of the session has started the turn',
    of: 'spoken',
    edit: (lines) => void (attributes(one(lines, ofType('WORKFLOW_EXECUTION_STARTED'))).parentInitiatedEventId = '7'),
    at: ofSession('CHILD_WORKFLOW_EXECUTION_INITIATED'),
    rule: 'H8',
    says: /not started by this event/,
  },
  {
    name: 'the session has taken the message for another turn',
    of: 'spoken',
    edit: (lines) => {
      const { outcome } = attributes(one(lines, ofSession('UPDATE_COMPLETED')));
      outcome.success.payloads[0].$.turn_id = 'another';
    },
    at: ofSession('UPDATE_COMPLETED'),
    rule: 'H8',
    says: /about turn "another"/,
  },
  {
    name: 'the session has found another end',
    of: 'spoken',
    edit: (lines) => {
      attributes(one(lines, ofSession('ACTIVITY_TASK_COMPLETED'))).result.payloads[0].$.head = NOWHERE;
    },
    at: ofSession('ACTIVITY_TASK_COMPLETED'),
    rule: 'H8',
    says: /another end/,
  },
  ...FROM_SESSION.map(({ name, type, edit, says, rule = 'H8' }) => ({
    name: `of the session: ${name}`,
    of: 'spoken',
    edit: (lines: OpenLine[]) => edit(one(lines, ofSession(type))),
    at: ofSession(type),
    rule,
    says,
  })),
  {
    name: 'an approval whose sender no longer waited',
    of: 'waited',
    edit: (lines) => {
      const { until } = run(lines).approvals[0];
      replaced(lines, until, earlier(until));
    },
    at: scheduled('runCall'),
    rule: 'H6',
    says: /no longer waited/,
  },
  {
    name: 'somebody has waited longer, says the history alone',
    of: 'waited',
    edit: (lines) => {
      const [approval] = run(lines).approvals;
      approval.until = later(approval.until);
    },
    at: scheduled('runCall'),
    rule: 'H9',
    says: /in other words/,
  },
  {
    name: 'events of the session in another order',
    of: 'spoken',
    edit: (lines) => void (one(lines, ofSession('CHILD_WORKFLOW_EXECUTION_INITIATED')).body.event.eventId = '2'),
    at: ofSession('CHILD_WORKFLOW_EXECUTION_INITIATED'),
    rule: 'H8',
    says: /order/,
  },
  {
    name: 'an event of the session has a malformed number',
    of: 'spoken',
    edit: (lines) => void (one(lines, ofSession('ACTIVITY_TASK_COMPLETED')).body.event.eventId = '9'.repeat(5000)),
    at: ofSession('ACTIVITY_TASK_COMPLETED'),
    rule: 'H8',
    says: /order/,
  },
  {
    name: 'what the session says of the turn is left out',
    of: 'spoken',
    edit: (lines) => void lines.splice(0, lines.length, ...lines.filter((line) => line.kind !== 'session')),
    at: kind('turn_end'),
    rule: 'T8',
    says: /what the session says/,
  },
  {
    name: 'the message to the session is left out',
    of: 'spoken',
    edit: (lines) => void without(lines, ofSession('UPDATE_ACCEPTED')),
    at: kind('turn_end'),
    rule: 'T8',
    says: /what the session says/,
  },
  {
    name: "a sub-agent's turn is left out",
    of: 'sub_agent',
    edit: (lines) => {
      const from = lines.findIndex((line) => line.kind === 'turn' && line.body.parent !== null);
      lines.splice(from, lines.length - 1 - from);
    },
    at: kind('end'),
    rule: 'T6',
    says: /sub-agent was left out/,
  },
  {
    name: 'what held the call back, as people were shown it',
    of: 'approval',
    edit: (lines) => {
      const shown = one(
        lines,
        part((body) => body?.preview),
      ).body.part;
      shown.body.held = [{ kind: 'budget', id: 'month', text: 'It is spent.' }];
      asCall(lines, { preview_ref: hashJson(shown as Json) });
    },
    at: part((body) => body?.preview),
    rule: 'D4',
    says: /something else of what held the call back/,
  },
  {
    name: 'an effect record before the last block of its turn',
    of: 'approval',
    edit: (lines) => {
      const record = without(lines, kind('effect'));
      lines.splice(lines.findLastIndex(block('end')) - 1, 0, record);
    },
    at: block('end'),
    rule: 'S3',
    says: /cannot stand after/,
  },
  ...TURN_PLANS,
  ...MESSAGE_PLANS,
  ...SUB_TURN_PLANS,
  ...RUN_PLANS,
  ...ADMISSION_PLANS,
  ...RARE_PLANS,
  ...REFUSAL_PLANS,
  ...QUESTION_PLANS,
  ...PART_PLANS,
  ...ENTRY_PLANS,
];

/** Each by its name, made when it is asked for. */
export const FORGERIES: readonly { name: string; make(): Promise<Forgery> }[] = PLANS.map(
  ({ name, of, edit, at, rule, says }) => ({
    name,
    async make() {
      const lines = forged(await sample(of), edit);
      return { name, bytes: Buffer.from(lines.text), line: lines.findIndex(at), rule, says };
    },
  }),
);

export function forgeries(): Promise<Forgery[]> {
  return Promise.all(FORGERIES.map(({ make }) => make()));
}
