/**
 * Completes the admission of a call in the workflow: the `admitCall` activity makes the preview and decides an open verdict, the
 * digest is built over exactly the arguments of the call, and people are asked.
 */
import { keepProgress, type TurnData } from '../turn/state';
import { CancellationScope, patched, workflowInfo } from '@temporalio/workflow';
import type {
  AdmitCallInput,
  AdmitCallOutput,
  AdmittedCall,
  CallArguments,
  CallOutcome,
  TurnContext,
} from '../../shared/io/activities';
import {
  PLAIN_POLICY,
  samePerson,
  type Decision,
  type Earlier,
  type Edit,
  type HoldReason,
} from '../../shared/approval/approval';
import { callDigest, hashJson, idempotencyKey } from '../../shared/json/digests';
import { optional } from '../../shared/json/optional';
import { callError } from '../../shared/wire/errors';
import { admitCall, closeQuestion } from '../activities';
import {
  endCall,
  moveCall,
  renew,
  showDecisions,
  stoppedOutcome,
  supersede,
  viewOf,
  countDenial,
  endDenials,
  openFacts,
  applyDecision,
} from './call-log';
import { addMaker } from '../turn/steering';
import { reportSpan } from '../sandbox/trace';
import { now, resetSeed } from '../sandbox/time';
import type { ApprovalQuestion, PersonQuestion, Question } from '../approvals/question';
import { askPerson } from './ask-person';
import { isBounded } from '../turn/state-limits';
import { hasRoomToAsk, missingAnswers, notAsked } from '../approvals/room-for-decisions';
import type { Admission, Dispatch } from './dispatch-types';

/** How one revision of a call is admitted and asked about. */
export interface Asking {
  revision: number;
  reasons: HoldReason[];
  edit: Edit | null;
  /** People who changed the call or steered the turn, besides the requester. */
  makers: string[];
  /** Decisions and edits on earlier revisions. */
  earlier: Earlier[];
}

/** They are part of the call's arguments. */
const MOST_EARLIER = 20;
/** Each is an entry in the view, and is passed on to every run. */
const MOST_REVISIONS = 100;

/** `seed`: `resetSeed()` at admission; null in older histories, whose questions stay valid after a reset. */
type AdmissionResult = AdmitCallOutput & { ok: true; expires_at: string | null; seed: string | null };

/** Admits one call: at once if static admission decided everything, else it resolves when it is known whether the call may run. */
export function admit(context: Dispatch, call: AdmittedCall): Admission | Promise<Admission> {
  const progress = context.data.open?.progress[call.id];
  if (progress?.at === 'question') {
    const asking = { ...first(context), revision: progress.args.revision, makers: progress.question.makers };
    return context.inFlight.during(() => askPeople(context, call, asking, progress.args, progress.question, resetSeed()));
  }
  if (progress) return { ok: true, args: progress.args, approvals: progress.approvals };
  const asking = first(context);
  // The digest must cover the makers (through `preview_ref`): the call may still be held back, or end in doubt.
  const tellsMakers = call.class === 'destructive' && asking.makers.length > 0;
  if (call.needs_admit || tellsMakers) return admitAs(context, call, asking);
  return ready(context, call, callArguments(context, call, asking, { preview_ref: null, digest: call.digest }), []);
}

/** The call as the model proposes it. People who steered the turn before are its makers. */
function first({ data }: Dispatch): Asking {
  return { revision: 1, reasons: [], edit: null, makers: data.steered?.by ?? [], earlier: [] };
}

/** Runs `admitCall` (open verdict, preview), then asks people if the verdict is `ask` or the call was held back. */
export function admitAs(context: Dispatch, call: AdmittedCall, asking: Asking): Promise<Admission> {
  return context.inFlight.during(async () => {
    const result = await askActivity(context, call, asking);
    if (result.ok) return afterwards(context, call, asking, result);
    if (result.by_classifier) countDenial(context.data);
    return { ok: false, outcome: endCall(context.data, call, 'rejected', { error: result.error, earlier: asking.earlier }) };
  });
}

async function askActivity(
  context: Dispatch,
  call: AdmittedCall,
  { revision, reasons, edit, makers }: Asking,
): Promise<AdmissionResult | (AdmitCallOutput & { ok: false })> {
  const { id, tool, version, input_hash, input, input_ref } = call;
  const policy = context.data.policy!;
  const mayAsk = call.verdict === 'ask' || reasons.length > 0;
  const expiresAt = mayAsk ? new Date(Date.now() + (call.question_ms ?? policy.approval_expiry_ms)).toISOString() : null;
  const fields = {
    id,
    revision,
    tool,
    version,
    class: call.class,
    input_hash,
    input,
    input_ref,
    policy_ref: call.policy_ref ?? policy.policy_ref,
    ...boundFields(call),
    ...(makers.length > 0 ? { makers } : {}),
  };
  const seed = resetSeed();
  const result = await admitCall({
    turn: context.turn,
    call: fields,
    reason: call.reason,
    expires_at: expiresAt,
    ...openFacts(context.data, call),
    ...(reasons.length > 0 ? { held: reasons } : {}),
    ...(edit === null ? {} : { edit }),
    ...(mayAsk ? forTheCard(context.data, call) : {}),
    ...(call.approval && mayAsk ? { approval: call.approval } : {}),
  });
  if (!result.ok) return result;
  return { ...result, expires_at: expiresAt, seed: result.run_id === undefined ? null : seed };
}

/** What the card says of the conversation, and how much room it has. */
function forTheCard({ head, open }: TurnData, { untrusted }: AdmittedCall): Pick<AdmitCallInput, 'untrusted' | 'head' | 'cards'> {
  const calls = open?.calls.length ?? 1;
  return {
    ...(untrusted ? { untrusted } : {}),
    ...(head === null ? {} : { head }),
    ...(calls > 1 ? { cards: calls } : {}),
  };
}

function afterwards(
  context: Dispatch,
  call: AdmittedCall,
  asking: Asking,
  result: AdmissionResult,
): Promise<Admission> | Admission {
  if (result.decided) applyDecision(context.data, call, result.decided);
  if (result.renewed) renew(context.data, call, result.renewed);
  if (result.target_hash !== undefined) call.target_hash = result.target_hash;
  const args = callArguments(context, call, asking, result);
  if (call.verdict !== 'ask' && asking.reasons.length === 0) return ready(context, call, args, []);
  const question = questionAbout(call, args, result);
  if (!hasRoomToAsk(context.data, args, missingAnswers(question)) && isBounded()) {
    const facts = { error: notAsked(question), effect: result.effect ?? null, earlier: asking.earlier };
    return { ok: false, outcome: endCall(context.data, call, 'rejected', facts) };
  }
  return askPeople(context, call, asking, args, question, result.seed, result.effect);
}

function questionAbout(call: AdmittedCall, args: CallArguments, result: AdmissionResult): ApprovalQuestion | PersonQuestion {
  const expires_at = result.expires_at!;
  const base = {
    call_id: call.id,
    digest: args.digest,
    tool: call.tool,
    card: result.card,
    card_ref: result.card_ref,
    expires_at,
    policy: call.approval ?? PLAIN_POLICY,
    run_id: result.run_id ?? workflowInfo().runId,
    makers: args.makers ?? [],
    remarks: [],
  };
  if (call.question_ms === undefined)
    return { kind: 'approval', ...base, approvals: [], ...optional({ escalations: result.escalations }) };
  return { kind: 'question', ...base, asked_at: new Date(Date.parse(expires_at) - call.question_ms).toISOString() };
}

async function askPeople(
  context: Dispatch,
  call: AdmittedCall,
  asking: Asking,
  args: CallArguments,
  question: ApprovalQuestion | PersonQuestion,
  seed: string | null,
  effect?: AdmissionResult['effect'],
): Promise<Admission> {
  const { data } = context;
  const view = moveCall(data, call.id, 'waiting', { ...identity(context.turn, args), ...(effect ? { effect } : {}) });
  view.approval.required = true;
  view.approval.expires_at = question.expires_at;
  keepProgress(data, call.id, { at: 'question', args, question });
  if (question.kind === 'question') return askForAnswer(context, call, asking, { args, question, seed });
  let next: { asking: Asking; result: AdmissionResult; change: Edit } | null = null;
  const edit = async (change: Edit) => {
    if (args.revision >= MOST_REVISIONS)
      return `it has been changed ${MOST_REVISIONS} times; deny it, and have it asked for anew`;
    const makers = [...asking.makers.filter((maker) => !samePerson(maker, change.by)), change.by];
    const nextAsking = { revision: args.revision + 1, reasons: asking.reasons, edit: change, makers, earlier: [] };
    const result = await askActivity(context, call, nextAsking);
    if (!result.ok) return `${result.error.code} ${result.error.reason}: ${result.error.message}`;
    return () => void (next = { asking: nextAsking, result, change });
  };
  if (data.interrupted) return { ok: false, outcome: stoppedOutcome(data, call, null) };
  const answer = await context.questions.askApproval(question, edit, seed);
  reportWait(context.data, call, question, answer.how);
  if (answer.how !== 'approved') closeOpenQuestion(context, question);
  if (answer.how === 'stopped') return { ok: false, outcome: stoppedOutcome(data, call, null) };
  if (answer.how === 'steered') return { ok: false, outcome: steeredOver(context, call, args, question) };
  if (answer.how === 'reset') return askAnew(context, call, asking, args, question.run_id, question.approvals);
  if (answer.how === 'superseded') {
    supersede(data, call, args.revision + 1);
    const { asking: nextAsking, result, change } = next!;
    addMaker(data, context.turn, change.by);
    const earlier = [...saidOn(args, question.approvals), recordEdit(args, question, change)].slice(-MOST_EARLIER);
    return afterwards(context, call, { ...nextAsking, earlier }, result);
  }
  const { approvals } = question;
  if (answer.how !== 'approved') {
    showDecisions(data, call.id, [...approvals, answer.decision]);
    return { ok: false, outcome: refusedOutcome(context, call, answer.decision, { approvals, earlier: args.earlier ?? [] }) };
  }
  showDecisions(data, call.id, approvals);
  moveCall(data, call.id, 'approved');
  if (call.undecided) endDenials(data);
  keepProgress(data, call.id, { at: 'ready', args, approvals });
  return { ok: true, args, approvals };
}

/** A question of the model: there is nothing to run, so its admission ends with the outcome of the call. */
async function askForAnswer(
  context: Dispatch,
  call: AdmittedCall,
  asking: Asking,
  { args, question, seed }: { args: CallArguments; question: PersonQuestion; seed: string | null },
): Promise<Admission> {
  if (context.data.interrupted) return { ok: false, outcome: stoppedOutcome(context.data, call, null) };
  const end = await askPerson(context, call, args, question, seed);
  reportWait(context.data, call, question, 'outcome' in end ? end.outcome.state : 'answered');
  closeOpenQuestion(context, question);
  if ('outcome' in end) return { ok: false, outcome: end.outcome };
  return askAnew(context, call, asking, args, question.run_id, end.answers);
}

/** @param how how the question ended */
function reportWait(
  { policy }: TurnData,
  { id, tool, question_ms }: AdmittedCall,
  { kind, expires_at }: ApprovalQuestion | PersonQuestion,
  how: string,
): void {
  const start = Date.parse(expires_at) - (question_ms ?? policy!.approval_expiry_ms);
  reportSpan({
    kind: 'wait',
    id: `${id} ${expires_at}`,
    subject: tool,
    start,
    attributes: { call: id, question: kind, end: how },
  });
}

/** The workflow was reset: the next revision of the call is asked about, and earlier decisions do not count for it. */
function askAnew(
  context: Dispatch,
  call: AdmittedCall,
  asking: Asking,
  args: CallArguments,
  runBefore: string,
  decisions: Decision[],
): Promise<Admission> {
  supersede(context.data, call, args.revision + 1);
  const earlier = saidOn(args, decisions);
  const reasons: HoldReason[] = [
    ...asking.reasons.filter(({ kind }) => kind !== 'reset'),
    { kind: 'reset', id: runBefore, text: '' },
  ];
  return admitAs(context, call, { ...asking, revision: args.revision + 1, reasons, edit: null, earlier });
}

/**
 * Closes the question in the store: its decisions no longer count. Does not wait; the next step also closes questions of calls
 * without effect.
 */
export function closeOpenQuestion({ turn, inFlight }: Dispatch, { digest, policy }: Pick<Question, 'digest' | 'policy'>): void {
  if (policy.channel === 'any' || !patched('closed-questions')) return;
  const close = () => CancellationScope.nonCancellable(() => closeQuestion({ turn, digest }));
  inFlight.during(close).catch(() => undefined);
}

function ready(context: Dispatch, call: AdmittedCall, args: CallArguments, approvals: Decision[]): Admission {
  moveCall(context.data, call.id, 'ready', identity(context.turn, args));
  keepProgress(context.data, call.id, { at: 'ready', args, approvals });
  return { ok: true, args, approvals };
}

/** The arguments of the call, with the digest over exactly these. It must be the admitted digest. */
function callArguments(
  context: Dispatch,
  call: AdmittedCall,
  { revision, earlier, makers }: Asking,
  admission: { preview_ref: string | null; digest: string | null },
): CallArguments {
  const { id, tool, version, input, input_ref } = call;
  const args = {
    id,
    revision,
    tool,
    version,
    class: call.class,
    input_hash: input === null ? call.input_hash : hashJson(input),
    input,
    input_ref,
    preview_ref: admission.preview_ref,
    policy_ref: call.policy_ref ?? context.data.policy!.policy_ref,
    ...boundFields(call),
    dispatch: 1,
    ...(earlier.length > 0 ? { earlier } : {}),
    ...(makers.length > 0 ? { makers } : {}),
  };
  const digest = callDigest(context.turn, args);
  if (digest !== admission.digest)
    throw new Error(`Call ${id} was admitted as ${admission.digest}, but what would be passed has digest ${digest}`);
  return { ...args, digest };
}

/** Fields that only digests of version 2 cover. */
function boundFields({ definition_ref, target_hash }: AdmittedCall): Pick<CallArguments, 'definition_ref' | 'target_hash'> {
  return definition_ref === undefined ? {} : { definition_ref, target_hash: target_hash ?? null };
}

function identity(turn: TurnContext, args: CallArguments): { digest: string; idempotency_key: string } {
  return {
    digest: args.digest,
    idempotency_key: idempotencyKey({ ...turn, call_id: args.id, digest: args.digest }),
  };
}

/** All decisions and edits on a call so far, for the revision that supersedes this one. */
export function saidOn(args: CallArguments, approvals: Decision[]): Earlier[] {
  const { revision, earlier = [] } = args;
  return [...earlier, ...approvals.map((decision) => ({ ...decision, revision }))].slice(-MOST_EARLIER);
}

function recordEdit({ revision }: CallArguments, { digest, run_id }: ApprovalQuestion, { input: _, ...edit }: Edit): Earlier {
  return { decision: 'edit', revision, digest, run_id, at: now(), ...edit };
}

/** The model reads this outcome together with the message. */
function steeredOver({ data }: Dispatch, call: AdmittedCall, args: CallArguments, { approvals }: ApprovalQuestion): CallOutcome {
  const error = callError(
    'CONFIRMATION_REQUIRED',
    'superseded_by_message',
    'While this call waited for approval the user said something, which follows. The call was not run.',
    { hint: 'If it is still wanted after what the user said, propose it again: it will be asked about anew.' },
  );
  const { effect: earlierEffect } = viewOf(data, call.id);
  const effect = call.class === 'destructive' ? (earlierEffect ?? 'refused') : null;
  return endCall(data, call, 'superseded', { error, effect, approvals, earlier: args.earlier ?? [] });
}

function refusedOutcome(
  context: Dispatch,
  call: AdmittedCall,
  decision: Decision,
  decisions: { approvals: Decision[]; earlier: Earlier[] },
): CallOutcome {
  const { effect: earlierEffect } = viewOf(context.data, call.id);
  const effect = call.class === 'destructive' ? (earlierEffect ?? 'refused') : null;
  const stays =
    earlierEffect === null
      ? ''
      : ` An earlier run had dispatched it before the workflow was reset: it is ${earlierEffect}, and stays so.`;
  if (decision.decision === 'expired') {
    const error = callError(
      'CONFIRMATION_REQUIRED',
      'expired',
      `Nobody decided before ${decision.expires_at}, so this call was refused.${stays}`,
      {
        hint: 'Tell the user that it waited for approval and expired.',
      },
    );
    return endCall(context.data, call, 'expired', { error, effect, decision, ...decisions });
  }
  const note = decision.note === null || decision.note.trim() === '' ? '' : ` They say: ${decision.note}`;
  if (note !== '') addMaker(context.data, context.turn, decision.by);
  const error = callError('CONFIRMATION_REQUIRED', 'denied', `A person declined this call.${note}${stays}`, {
    hint: 'Do not repeat it as it is. If what they say allows it, propose something else: it will be asked anew.',
  });
  return endCall(context.data, call, 'denied', { error, effect, decision, ...decisions });
}
