/**
 * Finds the turn of an AG-UI run. A run with a new message is the next message of its thread's session; a run with answers decides
 * calls of the session's running turn, and goes on with that turn. A run that is sent again finds the turn that it had before:
 * nothing is started or decided twice, also at another gateway and after a restart. A run that was refused is judged anew.
 */
import { SessionNotFound } from '../../client/errors';
import type { Position } from '../../client/events/position';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { sessionIdOf } from '../../client/sessions/open-session';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { needRole } from '../../gateway/auth/authenticate';
import type { Principal } from '../../gateway/auth/principals';
import { ownSession, visibleSession, visibleTurn } from '../../gateway/auth/turn-session-access';
import { Refusal } from '../../gateway/http/errors';
import { claimOperation, type Operation } from '../../gateway/http/idempotency';
import type { GatewayParts } from '../../gateway/route';
import { startLimit } from '../../gateway/http/before-routes';
import { isSessionId } from '../../shared/ids';
import { decideOnce, partOf } from '../turns/decide';
import { decisionOf } from './interrupts';
import type { RunInput } from './run-input';

export interface OpenRun {
  turn: TurnHandle;
  /** Null: the turn is told from its beginning. */
  after: Position | null;
  /** The session that will begin the turn, if it has not yet. */
  session: SessionHandle | null;
}

export interface RunOf {
  principal: Principal;
  agent: string;
  input: RunInput;
}

/** @throws Refusal; DecisionNotAccepted; IdempotencyConflict; NoWorker */
export async function openRun(parts: GatewayParts, run: RunOf): Promise<OpenRun> {
  const { principal, agent, input } = run;
  const { threadId, runId, resume, request } = input;
  const key = `ag-ui\n${agent}\n${threadId}\n${runId}`;
  const starts = resume.length > 0 ? null : startLimit(parts);
  const claim = async () => {
    const { operation } = await claimOperation(parts.store, { principal: principal.name, key, request }, starts);
    if (operation !== null) return operation;
    throw refusal('run_used', 409, 'This runId has been used in its thread for another message or other answers: use a new one.');
  };
  const check = resume.length > 0 ? checkAnswers : checkMessage;
  const operation = await claim();
  const act = await check(parts, run, operation).catch(async (error: unknown) => {
    // If the run was sent twice at once, the other request may have changed what this one was judged by.
    const later = await claim();
    if (later.hasPassed === operation.hasPassed) throw error;
    return check(parts, run, later);
  });
  return act();
}

/** What a run does, once it has passed its checks. */
type Act = () => Promise<OpenRun>;

async function checkMessage(parts: GatewayParts, run: RunOf, operation: Operation): Promise<Act> {
  const { principal, agent, input } = run;
  needRole(principal, ['starter', 'admin']);
  const holdfast = await parts.client();
  const { target } = operation;
  if (target !== undefined) {
    const session = await threadSession(parts, run);
    return async () => ({ turn: holdfast.turn(target), after: null, session });
  }
  const text = operation.hasPassed ? input.lastMessage : input.message;
  if (text === null || text.trim() === '')
    throw refusal('no_message', 400, 'The last message of the run must be one of the user, with text.');
  const known = await threadSession(parts, run);
  if (known !== null && !operation.hasPassed) await refuseOverInterrupts(parts, principal, known);
  const session = known ?? holdfast.session(ownSessionId(run), { agent, requester: principal.name });
  return async () => {
    await operation.pass();
    const { turn_id } = await session.send(text, { id: operation.id });
    return { turn: holdfast.turn(await operation.agreeOn(turn_id)), after: null, session };
  };
}

/** The protocol demands it: while a thread waits for answers, only a run with answers may follow. */
async function refuseOverInterrupts(parts: GatewayParts, principal: Principal, session: SessionHandle): Promise<void> {
  const { running } = await session.status();
  if (!running) return;
  const { turn } = await visibleTurn(parts, principal, running.turn_id);
  const { pending } = await turn.status();
  if (pending.length === 0) return;
  const message = `The thread waits for a person: turn ${running.turn_id} has open interrupts (${pending.map((digest) => digest.slice(0, 12)).join(', ')}).`;
  throw refusal('interrupts_open', 409, message, 'Send a run with "resume", which answers each of them.');
}

async function checkAnswers(parts: GatewayParts, run: RunOf, operation: Operation): Promise<Act> {
  const { principal, input } = run;
  const session = await threadSession(parts, run);
  if (session === null) throw refusal('unknown_thread', 404, 'There is no such thread that you may see.');
  const target = operation.target ?? (await session.status()).running?.turn_id;
  if (target === undefined) throw refusal('not_waiting', 409, 'No turn of this thread waits for an answer.');
  const { turn, view } = await visibleTurn(parts, principal, target);
  const latest = await view();
  const kinds = new Map(
    latest.pending.length === 0 ? [] : (await turn.waiting(latest)).questions.map(({ digest, card }) => [digest, card.kind]),
  );
  const answers = input.resume.filter(({ status }) => status === 'resolved');
  if (!operation.hasPassed) compareAnswers(input, [...kinds.keys()]);
  const bodies = answers.map((answer) => decisionOf(answer, kinds.get(answer.interruptId) ?? null));
  return async () => {
    const choice = await operation.agreeOn(turn.id);
    if (choice !== turn.id) return (await checkAnswers(parts, run, { ...operation, hasPassed: true, target: choice }))();
    for (const [index, { interruptId }] of answers.entries())
      await decideOnce(parts, principal, { turn, operation: partOf(operation, interruptId), body: bodies[index]! });
    const isSeen = input.seen?.turnId === turn.id && !operation.hasPassed;
    return { turn, after: isSeen ? input.seen!.position : null, session: null };
  };
}

/** Each open interrupt needs an answer, and each answer an open interrupt. `cancelled` is an answer that decides nothing. */
function compareAnswers({ resume }: RunInput, open: readonly string[]): void {
  const ids = resume.map(({ interruptId }) => interruptId);
  const missing = open.filter((digest) => !ids.includes(digest));
  if (missing.length > 0)
    throw refusal('answer_missing', 409, `"resume" must answer each open interrupt; it lacks ${missing.join(', ')}.`);
  if (new Set(ids).size !== ids.length) throw refusal('answered_twice', 400, '"resume" answers an interrupt twice.');
  const strange = resume.find(({ interruptId, status }) => status === 'resolved' && !open.includes(interruptId));
  if (strange)
    throw refusal(
      'not_waiting',
      409,
      `Interrupt ${strange.interruptId.slice(0, 70)} is not open: it was answered, or has expired.`,
    );
}

/**
 * The session of a thread: one that the principal may see by this id, or the one that its first run has opened. Null: there is none.
 * @throws Refusal 403 for a message to another person's session; 409 for one of another agent
 */
async function threadSession(parts: GatewayParts, run: RunOf): Promise<SessionHandle | null> {
  const { principal, agent, input } = run;
  const isMessage = input.resume.length === 0;
  for (const id of isSessionId(input.threadId) ? [ownSessionId(run), input.threadId] : [ownSessionId(run)]) {
    const find = isMessage ? ownSession : visibleSession;
    const known = await find(parts, principal, id).catch((error: unknown) => {
      if (error instanceof SessionNotFound || (error instanceof Refusal && error.wrong.reason === 'unknown_session')) return null;
      throw error;
    });
    if (known === null) continue;
    if (known.summary.agent === agent) return known.session;
    throw refusal('another_agent', 409, `The session ${id} is of agent ${known.summary.agent}, not of ${JSON.stringify(agent)}.`);
  }
  return null;
}

/** A thread's name belongs to the principal and the agent: other people's threads of the same name are other sessions. */
function ownSessionId({ principal, agent, input }: RunOf): string {
  return sessionIdOf({ id: `ag-ui\n${agent}\n${input.threadId}`, requester: principal.name });
}

function refusal(reason: string, status: number, message: string, hint?: string): Refusal {
  const code = status === 400 ? 'INVALID_PARAMS' : status === 404 ? 'RESOURCE_NOT_FOUND' : 'CONFIRMATION_REQUIRED';
  return new Refusal({ code, reason, message, status, ...(hint === undefined ? {} : { hint }) });
}
