/**
 * The log lines of each activity, made from its input and output: codes, counts and digests; never an input, an output, a prompt
 * or a person's note. Activities write them, not the workflow, which replays.
 */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { approvalsOf, type Activities, type CallArguments, type CallOutcome, type RunCallOutput } from '../shared/io/activities';
import type { Decision } from '../shared/approval/approval';
import type { CallError } from '../shared/wire/errors';
import type { ToolLogger } from '../tools/define/tool';

type Input<A extends keyof Activities> = Parameters<Activities[A]>[0];
type Output<A extends keyof Activities> = Awaited<ReturnType<Activities[A]>>;

interface Lines<A extends keyof Activities> {
  ended(log: ToolLogger, input: Input<A>, output: Output<A>): void;
}

export const ACTIVITY_LINES: { readonly [A in keyof Activities]: Lines<A> } = {
  takeStep: {
    ended(log, input, output) {
      const { agent } = input.turn;
      const { step } = input;
      const { next, calls, usage, took_ms, stop_reason } = output;
      log.info({ step, agent, next, stop_reason, calls: calls.length, ...usage, took_ms }, 'step taken');
      const state = endOf('takeStep', input, output);
      if (state !== null) logEnd(log, state, { agent, steps: step });
    },
  },
  admitDirect: {
    ended(log, _input, { agent, call }) {
      const fields = { agent, tool: call.tool, version: call.version, class: call.class, verdict: call.verdict };
      if (call.error) log.warn({ ...fields, ...codeOf(call.error) }, 'direct call not admitted');
      else log.info(fields, 'direct call');
    },
  },
  admitCall: {
    ended(log, { call, expires_at }, output) {
      if (!output.ok) log.warn({ class: call.class, ...codeOf(output.error) }, 'call not admitted');
      else if (expires_at === null) log.debug({ class: call.class, digest: prefix(output.digest) }, 'call admitted');
      else log.info({ class: call.class, digest: prefix(output.digest), expires_at }, 'question asked');
    },
  },
  runCall: {
    ended: (log, { call }, output) => logCall(log, call, output, 'call ended'),
  },
  inspectEffect: {
    ended(log, { call, cause }, result) {
      if (result.found === 'outcome') logCall(log, call, result.outcome, 'attempt lost, its record found', { cause });
      else log.warn({ ...identity(call), cause }, 'attempt lost before it began; the call is dispatched again');
    },
  },
  settleEffect: {
    ended: (log, { call, outcome, by, identity: client }, { state, effect }) =>
      log.info({ ...identity(call), outcome, by, identity: client, state, effect }, 'call settled'),
  },
  reconcileEffect: {
    ended: (log, { call }, { settled }) =>
      log.info({ ...identity(call), state: settled?.state ?? 'unknown', effect: settled?.effect ?? null }, 'probe asked'),
  },
  completeCall: {
    ended(log, { call, cause }, { settled, reason }) {
      if (settled !== null) logCall(log, call, settled, 'pending call ended', { cause: cause.by });
      else log.info({ ...identity(call), cause: cause.by, reason }, 'call stays pending');
    },
  },
  checkDecision: {
    ended(log, { decision, digest }, result) {
      const fields = { decision, digest: prefix(digest) };
      if (result.ok) log.info({ ...fields, by: result.principal }, 'signed decision verified');
      else log.warn({ ...fields, reason: result.reason }, 'signed decision not accepted');
    },
  },
  checkAnswer: {
    // The reason may repeat what the model wrote.
    ended(log, { digest, attestation }, result) {
      const fields = { digest: prefix(digest), attested: attestation !== null };
      if (result.ok) log.info({ ...fields, by: result.principal }, 'answer accepted');
      else log.warn(fields, 'answer not accepted');
    },
  },
  closeQuestion: {
    ended: (log, { digest }) => log.debug({ digest: prefix(digest) }, 'question closed'),
  },
  waitForUnfreeze: {
    ended: (log, { tool }) => log.info({ tool }, 'not frozen any more'),
  },
  checkSteer: {
    ended(log, { digest, attestation }, result) {
      const fields = { digest: prefix(digest), attested: attestation !== null };
      if (result.ok) log.info({ ...fields, by: result.principal }, 'message accepted');
      else log.warn({ ...fields, reason: result.reason }, 'message not accepted');
    },
  },
  notify: {
    ended: (log, { kind, digest, tool }) => log.info({ kind, tool, digest: prefix(digest) }, 'people told'),
  },
  deliverCallback: {
    ended: (log, { id, message }) => log.info({ callback_id: id, type: message.type }, 'callback delivered'),
  },
  readCard: {
    ended: (log, { card_ref }) => log.debug({ card_ref: prefix(card_ref) }, 'question carried over'),
  },
  keepSaid: {
    ended: (log, _input, { said_ref }) => log.debug({ said_ref: prefix(said_ref) }, 'decisions kept for another run'),
  },
  readSaid: {
    ended: (log, { said_ref }) => log.debug({ said_ref: prefix(said_ref) }, 'decisions carried over'),
  },
  openSubTurn: {
    ended(log, { call, sub_turn_id }, result) {
      if (!result.open) return logCall(log, call, result.refused, 'sub-agent not asked');
      const { agent, depth_left, existing } = result;
      log.info({ ...identity(call), agent, sub_turn_id, depth_left, existing: existing?.whose ?? null }, 'sub-agent asked');
    },
  },
  lookAtSubTurn: {
    ended: (log, { workflow_id }, { state, waiting }) =>
      log.debug({ sub_turn: workflow_id, state, waiting: waiting.length }, 'sub-agent looked at'),
  },
  closeSubTurn: {
    ended: (log, { call, sub_turn_id, report }, output) =>
      logCall(log, call, output, 'sub-agent ended', { sub_turn_id, sub_turn_state: report.state }),
  },
  forwardDecision: {
    ended(log, { workflow_id }, { accepted, reason }) {
      const fields = { sub_turn: workflow_id, accepted, ...(accepted ? {} : { reason }) };
      log[accepted ? 'info' : 'warn'](fields, 'decision passed on to a sub-agent');
    },
  },
  compact: {
    ended: (log, { turn }, { did, usage, took_ms }) =>
      log.info({ agent: turn.agent, did, ...usage, took_ms }, 'conversation compacted'),
  },
  lookAtTurn: {
    ended: (log, _input, { state }) => log[state === 'lost' ? 'warn' : 'debug']({ state }, 'looked after a turn'),
  },
  beginSession: {
    ended: (log, _input, { first }) =>
      log.info({ first }, first ? 'session begun' : 'session begun anew under an id that was used before'),
  },
  beginFiring: {
    ended(log, { schedule, scheduled_at }, result) {
      const fields = { schedule: schedule.name, agent: schedule.agent, scheduled_at };
      if (result.begin) log.info({ ...fields, signed: result.attestation !== undefined }, 'schedule fires');
      else log.warn({ ...fields, reason: result.reason, todo: 'see docs/schedules.md' }, 'schedule fires no turn');
    },
  },
  endFiring: {
    ended: (log, { schedule, scheduled_at }, { state }) =>
      log.debug({ schedule: schedule.name, scheduled_at, state }, 'firing looked after its turn'),
  },
  checkFork: {
    ended(log, { block }, result) {
      if (result.ok) log.info({ block: prefix(block), from_turn: result.turn_id }, 'session forked');
      else log.warn({ block: prefix(block) }, 'fork refused');
    },
  },
  endTurn: {
    ended: (log, { turn, state, reason }) => logEnd(log, state, { agent: turn.agent, reason }),
  },
};

function logCall(log: ToolLogger, call: CallArguments, output: RunCallOutput, message: string, more: object = {}): void {
  const { state, effect, took_ms, attempts, error } = output;
  const { class: toolClass } = call;
  const fields = { ...identity(call), state, effect, took_ms, attempts, ...(error ? codeOf(error) : {}), ...more };
  // The probe is asked first. If a person has to settle the call, the workflow logs it.
  if (state === 'in_doubt') log.warn(fields, `${message}: in doubt`);
  else log[toolClass === 'destructive' && error?.retryable ? 'warn' : 'info'](fields, message); // the workflow dispatches it again
}

function logEnd(log: ToolLogger, state: string, fields: object): void {
  const isExpected = state !== 'failed' && state !== 'limit';
  log[isExpected ? 'info' : 'warn']({ state, ...fields }, 'turn ended');
}

/** @param of the call, where the line of its activity does not have it */
export function logDecision(log: ToolLogger, { decision: { decision, digest, by, channel, at }, of }: NewDecision): void {
  log.info({ ...of, decision, digest: prefix(digest), by, channel, decided_at: at }, 'decision');
}

function identity({ version, class: toolClass, digest, dispatch }: CallArguments): object {
  return { version, class: toolClass, digest: prefix(digest), ...(toolClass === 'destructive' ? { dispatch } : {}) };
}

/** Not the message: it may quote an input. */
function codeOf({ code, reason }: CallError): object {
  return { code, reason };
}

/** As many characters of a digest as commands ask for. */
function prefix(digest: string): string {
  return digest.slice(0, 12);
}

// What activities tell of a turn, for the log and for metrics alike.

export interface NewDecision {
  decision: Decision;
  of?: Pick<CallOutcome, 'call_id' | 'tool'>;
}

/** The decisions that this activity is the first of its turn to get. Those on calls that never ran reach one with the step after them. */
export function newDecisions(activity: string, input: unknown): NewDecision[] {
  if (activity === 'runCall' || activity === 'openSubTurn') {
    const call = input as Input<'runCall' | 'openSubTurn'>;
    const isFirst = activity === 'openSubTurn' || call.call.dispatch === 1;
    return isFirst ? approvalsOf(call).map((decision) => ({ decision })) : [];
  }
  if (activity !== 'takeStep' && activity !== 'endTurn') return [];
  const { outcomes } = input as Input<'takeStep' | 'endTurn'>;
  return outcomes.flatMap(({ decision, approvals = [], call_id, tool }) =>
    [...approvals, ...(decision ? [decision] : [])].map((one) => ({ decision: one, of: { call_id, tool } })),
  );
}

/** The state in which this activity has ended its turn; null: the turn goes on. */
export function endOf(activity: string, input: unknown, output: unknown): string | null {
  if (activity === 'endTurn') return (input as Input<'endTurn'>).state;
  if (activity !== 'takeStep' || (output as Output<'takeStep'>).next !== 'end') return null;
  return (input as Input<'takeStep'>).all_refused ? 'refused' : 'completed';
}

/** The tool whose call this activity has found to be in doubt, whatever its probe says later; null: none. */
export function toolInDoubt(activity: string, input: unknown, output: unknown): string | null {
  if (activity !== 'runCall' && activity !== 'inspectEffect') return null;
  const { call } = input as Input<'runCall' | 'inspectEffect'>;
  const result = output as Output<'runCall' | 'inspectEffect'>;
  const outcome = 'found' in result ? (result.found === 'outcome' ? result.outcome : null) : result;
  return outcome?.state === 'in_doubt' ? call.tool : null;
}

// How a failed attempt is logged: expected and retried, stopped, or a fault that somebody must fix.

/** Temporal's text for an activity that stops since its worker shuts down (`CancelledFailure.message`). */
export const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';

export type FailedAttempt =
  /** Expected, and retried by Temporal: a temporary failure of an upstream. */
  | { kind: 'retried'; code: string; retry_in_ms: number | null }
  /** Stopped from outside; `cause` is Temporal's text, e.g. `WORKER_SHUTDOWN`. */
  | { kind: 'stopped'; cause: string }
  /** Not expected. `code` is the failure's type, or the error's name. */
  | { kind: 'fault'; code: string; retried: boolean; todo: string };

/** Failures of tools and models have these types; everything else is a fault of the engine or of a service that it uses. */
const EXPECTED_FAILURE = /^(?:holdfast\.tool\.|model\.|holdfast\.(?:frozen|firing_waits)$)/;

const TODO: readonly [RegExp, string][] = [
  [/^(?:holdfast\.store|StoreError)\.conflict$/, 'The effect record says otherwise: compare it with what really happened.'],
  [
    /^(?:holdfast\.store|StoreError)\./,
    'The store lacks what the message names, or it is damaged there: restore it from a backup.',
  ],
  [/^(?:ENOSPC|EDQUOT)$/, 'The disk of the store is full: make room.'],
  [/^(?:EACCES|EPERM|EROFS)$/, "The store cannot be written: check its owner and mode, and this worker's user."],
  [
    /^(?:EIO|ESTALE|ENOENT|EMFILE|ENFILE|ECONN\w+)$/,
    'The store does not answer as it should: check its file system or database.',
  ],
  [/^holdfast\.unknown_agent$/, 'Workers of one task queue serve the same agents: deploy the app that has this one.'],
  [/^(?:model\.|holdfast\.start_not_attested$)/, 'The message says what to do.'],
];
const UNKNOWN = 'This is a fault of the engine or of a tool: keep this line, and report it.';

/** @param isStopped the activity was cancelled, or its worker shuts down */
export function failedAttempt(error: unknown, isStopped: boolean): FailedAttempt {
  if (isStopped && isStop(error)) return { kind: 'stopped', cause: error instanceof Error ? error.message : '' };
  if (error instanceof ApplicationFailure) {
    const code = error.type ?? error.name;
    const isRetryable = error.nonRetryable !== true;
    if (isRetryable && EXPECTED_FAILURE.test(code)) return { kind: 'retried', code, retry_in_ms: delayOf(error) };
    return { kind: 'fault', code, retried: isRetryable, todo: todoFor(code) };
  }
  const code = failureCode(error);
  return { kind: 'fault', code, retried: true, todo: todoFor(code) };
}

function isStop(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof Error && error.name === 'AbortError');
}

/** Null: the retry policy of the activity decides. */
function delayOf({ nextRetryDelay }: ApplicationFailure): number | null {
  return typeof nextRetryDelay === 'number' ? nextRetryDelay : null;
}

/** For example `StoreError.damaged`, `ENOSPC`, `TypeError`. */
function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const parts = [error.name, code].filter((part) => typeof part === 'string' && part !== 'Error');
  return parts.length === 0 ? error.name : parts.join('.');
}

function todoFor(code: string): string {
  return TODO.find(([pattern]) => pattern.test(code))?.[1] ?? UNKNOWN;
}
