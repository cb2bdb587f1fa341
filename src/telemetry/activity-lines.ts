/**
 * What each activity says in the log, from what it was given and what it gave: codes, counts and digests;
 * never an input, an output, a prompt or a person's note. Activities say it, not the workflow: it replays.
 */
import type { Activities, CallArguments, CallOutcome, Decision, RunCallOutput } from '../shared/activity-io';
import type { CallError } from '../shared/errors';
import type { ToolLogger } from '../tools/define';

type Input<A extends keyof Activities> = Parameters<Activities[A]>[0];
type Output<A extends keyof Activities> = Awaited<ReturnType<Activities[A]>>;

interface Lines<A extends keyof Activities> {
  /** Before the first attempt. */
  began?(log: ToolLogger, input: Input<A>): void;
  ended(log: ToolLogger, input: Input<A>, output: Output<A>): void;
}

export const ACTIVITY_LINES: { readonly [A in keyof Activities]: Lines<A> } = {
  takeStep: {
    began: (log, { outcomes }) => tellDecisions(log, outcomes),
    ended(log, { step, turn, all_refused }, { next, calls, usage, took_ms, stop_reason }) {
      const { agent } = turn;
      log.info({ step, agent, next, stop_reason, calls: calls.length, ...usage, took_ms }, 'step taken');
      if (next === 'end') tellEnd(log, all_refused ? 'refused' : 'completed', { agent, steps: step });
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
    began(log, { call, approval }) {
      if (approval && call.dispatch === 1) tellDecision(log, approval);
    },
    ended: (log, { call }, output) => tellCall(log, call, output, 'call ended'),
  },
  inspectEffect: {
    ended(log, { call, cause }, result) {
      if (result.found === 'outcome') tellCall(log, call, result.outcome, 'attempt lost, its record found', { cause });
      else log.warn({ ...identity(call), cause }, 'attempt lost before it began; the call is dispatched again');
    },
  },
  settleEffect: {
    ended: (log, { call, outcome, by, identity: client }, { state, effect }) =>
      log.info({ ...identity(call), outcome, by, identity: client, state, effect }, 'call settled'),
  },
  endTurn: {
    began: (log, { outcomes }) => tellDecisions(log, outcomes),
    ended: (log, { turn, state, reason }) => tellEnd(log, state, { agent: turn.agent, reason }),
  },
};

const SETTLE = 'Find out what it did, then say so: holdfast settle TURN applied|not_applied --call DIGEST.';

function tellCall(log: ToolLogger, call: CallArguments, output: RunCallOutput, message: string, more: object = {}): void {
  const { state, effect, took_ms, attempts, error } = output;
  const { class: toolClass } = call;
  const fields = { ...identity(call), state, effect, took_ms, attempts, ...(error ? codeOf(error) : {}), ...more };
  if (state === 'in_doubt') log.error({ ...fields, todo: SETTLE }, `${message}: in doubt`);
  else log[toolClass === 'destructive' && error?.retryable ? 'warn' : 'info'](fields, message); // the workflow dispatches it again
}

function tellEnd(log: ToolLogger, state: string, fields: object): void {
  const expected = state !== 'failed' && state !== 'limit';
  log[expected ? 'info' : 'warn']({ state, ...fields }, 'turn ended');
}

/** Decisions on calls that never ran reach an activity with the step after them. */
function tellDecisions(log: ToolLogger, outcomes: readonly CallOutcome[]): void {
  for (const { decision, call_id, tool } of outcomes) if (decision) tellDecision(log, decision, { call_id, tool });
}

function tellDecision(log: ToolLogger, { decision, digest, by, channel, at }: Decision, more: object = {}): void {
  log.info({ ...more, decision, digest: prefix(digest), by, channel, decided_at: at }, 'decision');
}

function identity({ version, class: toolClass, digest, dispatch }: CallArguments): object {
  return { version, class: toolClass, digest: prefix(digest), ...(toolClass === 'destructive' ? { dispatch } : {}) };
}

/** Not the message: it may quote an input. */
function codeOf({ code, reason }: CallError): object {
  return { code, reason };
}

/** As much of a digest as commands ask for. */
function prefix(digest: string): string {
  return digest.slice(0, 12);
}
