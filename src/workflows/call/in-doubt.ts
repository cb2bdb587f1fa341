/** Settles a call in doubt: asks its tool's probe for a limited time (`reconcile_ms`), and then people. */
import { ActivityFailure, ApplicationFailure, CancellationScope, log, patched, sleep, workflowInfo } from '@temporalio/workflow';
import type { AdmittedCall, CallArguments, RunCallOutput } from '../../shared/io/activities';
import { PLAIN_POLICY, SETTLEMENT_REFUSAL, type ApprovalPolicy } from '../../shared/approval/approval';
import { inDoubtCard } from '../../cards/card';
import { cutJson } from '../../shared/json/json';
import { reconcileEffect, settleEffect } from '../activities';
import { moveCall, viewOf } from './call-log';
import type { Admission, Dispatch } from './dispatch-types';
import { addMaker } from '../turn/steering';
import { now } from '../sandbox/time';
import { reportSpan } from '../sandbox/trace';
import { remark, type DoubtQuestion } from '../approvals/question';
import { keepProgress, type Progress } from '../turn/state';

/** The store has no card of a call in doubt: every run passes it on. */
const CARD_BYTES = 12_000;
/** The same for what its probe saw, which the card object has as a field. */
const EVIDENCE_BYTES = 4_000;

const FIRST_PROBE_MS = 500;
const LONGEST_PROBE_MS = 30_000;
/** About the most probes of one call: each of them is written into history. */
const PROBES = 50;

type Probing = Progress & { at: 'probing' };

/** Resolves when the effect of the call is known. A cancelled turn waits for that too. */
export function settleDoubt(
  context: Dispatch,
  call: AdmittedCall,
  { args, approvals }: Admission & { ok: true },
  doubt: RunCallOutput,
): Promise<RunCallOutput> {
  return CancellationScope.nonCancellable(async () => {
    const { data } = context;
    moveCall(data, call.id, 'in_doubt', {
      effect: 'in_doubt',
      error: doubt.error,
      attempts: viewOf(data, call.id).attempts + doubt.attempts,
    });
    const actsUntil = Date.now() + mayStillAct(call, doubt);
    const until = actsUntil + (call.reconcile_ms ?? 0);
    return findOut(context, call, { at: 'probing', args, approvals, result: doubt, believed: actsUntil, until });
  });
}

/** As `settleDoubt`, for a settlement that an earlier run began. */
export function settledLater(
  context: Dispatch,
  call: AdmittedCall,
  progress: Progress & { at: 'probing' | 'doubt' },
): Promise<RunCallOutput> {
  moveCall(context.data, call.id, 'in_doubt');
  return CancellationScope.nonCancellable(() =>
    progress.at === 'doubt' ? askPeople(context, progress.args, progress.question) : findOut(context, call, progress),
  );
}

/** How long a lost attempt may still act, ms: until its time limit. An attempt that has answered has ended: 0. */
function mayStillAct(call: AdmittedCall, { error }: RunCallOutput): number {
  return error?.reason === 'outcome_unknown' ? call.timeout_ms : 0;
}

async function findOut(context: Dispatch, call: AdmittedCall, probing: Probing): Promise<RunCallOutput> {
  const { data, turn } = context;
  const { args, approvals, result } = probing;
  const finding = await probe(context, call, probing);
  if (typeof finding !== 'string') return finding;
  const policy = call.approval ?? PLAIN_POLICY;
  log.error('a call is in doubt', {
    call_id: call.id,
    tool: call.tool,
    digest: args.digest.slice(0, 12),
    trace_id: turn.trace_id,
    todo: 'Find out what it did, then say so: holdfast settle TURN applied|not_applied --call DIGEST.',
  });
  const card = cutJson(
    inDoubtCard({
      tool: call.tool,
      callId: call.id,
      digest: args.digest,
      error: result.error?.message ?? 'unknown',
      idempotencyKey: viewOf(data, call.id).idempotency_key ?? '',
      policy,
      evidence: finding,
    }),
    CARD_BYTES,
  );
  const question: DoubtQuestion = {
    kind: 'doubt',
    call_id: call.id,
    digest: args.digest,
    tool: call.tool,
    card,
    // Every run passes the question on, so an older one must stay as it is.
    ...(finding !== '' && patched('probe-evidence') ? { evidence: cutJson(finding, EVIDENCE_BYTES) } : {}),
    policy,
    run_id: workflowInfo().runId,
    makers: args.makers ?? [],
    remarks: [],
    settlements: [],
  };
  keepProgress(data, call.id, { at: 'doubt', args, approvals, result, question });
  return askPeople(context, args, question);
}

async function askPeople(context: Dispatch, args: CallArguments, question: DoubtQuestion): Promise<RunCallOutput> {
  const { data, turn, questions } = context;
  for (;;) {
    const start = Date.now();
    const settlement = await questions.askSettlement(question);
    const { outcome } = settlement;
    const attributes = { call: args.id, question: question.kind, end: outcome };
    reportSpan({ kind: 'wait', id: `${args.id} doubt ${start}`, subject: args.tool, start, attributes });
    const agreeing = question.settlements.filter((other) => other.outcome === outcome);
    const several = agreeing.length > 1 ? { settlements: agreeing } : {};
    try {
      const result = await settleEffect({ turn, call: args, at: now(), head: data.head!, ...settlement, ...several });
      data.head = result.head ?? data.head;
      if (settlement.note !== null && settlement.note.trim() !== '') addMaker(data, turn, settlement.by);
      return result;
    } catch (error) {
      const refusal = refusedSettlement(error);
      if (refusal === null) throw error;
      // A key was revoked, or a signature expired, after the settlement: people have to settle again.
      question.settlements = [];
      if (refusal.policy) question.policy = refusal.policy;
      remark(question, `settle: ${refusal.reason}`);
    }
  }
}

/** The policy is absent in older histories. */
function refusedSettlement(error: unknown): { reason: string; policy?: ApprovalPolicy } | null {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || cause.type !== SETTLEMENT_REFUSAL) return null;
  const [policy] = (cause.details ?? []) as [ApprovalPolicy?];
  return { reason: cause.message, ...(policy ? { policy } : {}) };
}

/** The outcome, or what the probe saw if it is still unknown; empty if the tool has no probe. */
async function probe({ data, turn, inFlight }: Dispatch, call: AdmittedCall, probing: Probing): Promise<RunCallOutput | string> {
  if (call.reconcile_ms === undefined) return '';
  keepProgress(data, call.id, probing);
  const not_applied_from = new Date(probing.believed).toISOString();
  const longest = Math.max(LONGEST_PROBE_MS, call.reconcile_ms / PROBES);
  for (let wait = FIRST_PROBE_MS; ; wait = Math.min(longest, wait * 2)) {
    const request = { turn, call: probing.args, at: now(), head: data.head!, not_applied_from };
    const { settled: outcome, evidence, not_applied_from: from } = await reconcileEffect(request);
    if (outcome) {
      data.head = outcome.head ?? data.head;
      return outcome;
    }
    // The waiting time begins when the probe's finding can be believed: at the attempt's own deadline.
    if (from !== undefined && patched('doubt-deadline'))
      probing.until = Math.max(probing.until, Date.parse(from) + call.reconcile_ms);
    const remaining = probing.until - Date.now();
    if (remaining <= 0) return evidence; // the last probe ran at the very end
    await inFlight.apart(() => sleep(Math.min(wait, remaining))); // a long wait must not block the continue-as-new of a full run
  }
}
