/**
 * Workflow of a session: takes messages at any time and runs a turn for each, one after the other. The conversation is in the
 * store, under a head; the workflow has only the state for its next run. A turn is an abandoned child: it does not end with a run
 * of its session, and does not keep one from ending. The session checks the end of a turn itself and does not believe a signal.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  continueAsNew,
  defineQuery,
  defineUpdate,
  getExternalWorkflowHandle,
  patched,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { LookAtTurnInput, LookAtTurnOutput, TurnOfSession } from '../../shared/io/activities';
import { hashJson } from '../../shared/json/digests';
import { sessionSeries, workflowId } from '../../shared/ids';
import { asJson, isJsonObject, type Json } from '../../shared/json/json';
import {
  type OpenedAnswer,
  readSend,
  type ReadSend,
  readTitle,
  type SendAnswer,
  type SendBody,
  type SessionInput,
  type SessionView,
} from '../../shared/turn/session';
import { cachedShare } from '../../shared/turn/turn-view';
import { inlineCode } from '../../shared/text/visible';
import { beginSession, checkFork, lookAtTurn } from '../activities';
import { type DecideAnswer, INTERRUPT, MEMO_TITLE, SESSION_UPDATES, STATUS_QUERY, TURN_DONE_SIGNAL } from '../contract';
import { condition } from '../sandbox/condition';
import { mustBeInTime, now } from '../sandbox/time';
import { readBy } from '../turn/ending';
import { decodePayload } from '../../shared/wire/payload';
import { keyword } from '../../shared/search-attributes';
import { isOver, newSession, nextInQueue, sendFault, type SessionData, take, recordTurnEnd, startTurn } from './session-state';
import { onSignals } from '../sandbox/signals';

/** Updates per run; Temporal allows 2,000. */
const MOST_UPDATES = 500;
/** A terminated turn sends no signal: a running turn is checked at growing intervals, ms. */
const FIRST_LOOK = 60_000;
const LONGEST_LOOK_MS = 3_600_000;
/** A turn that signals its end closes within this time, ms. */
const ENDS_WITHIN = 20_000;

export async function session(input: SessionInput): Promise<SessionView> {
  const data = (input.resume as SessionData | undefined) ?? newSession(input, now(), patched('session-series'));
  let openedAnswer: OpenedAnswer | null = input.fork && !input.resume ? null : { opened: true };
  let updates = 0;
  /** The turn that may have ended. */
  let endedTurn: string | null = null;
  /** Whether the session is checking how that turn ended. */
  let looking = false;
  const mayBeOver = () => data.running !== null && (looking || endedTurn === data.running.turn_id);

  const view = (): SessionView => viewOf(input, data);
  const show = () => setCurrentDetails(details(view()));
  onSignals(({ name, payloads }) => {
    const payload = name === TURN_DONE_SIGNAL ? decodePayload(payloads[0]) : null;
    if (payload?.ok && isJsonObject(payload.value) && data.running?.turn_id === payload.value.turn_id)
      endedTurn = data.running!.turn_id;
  });
  setHandler(defineQuery<SessionView>(STATUS_QUERY), view, { description: 'The state of this conversation.' });
  const onUpdate = <R>(
    name: string,
    description: string,
    handle: (body: Json) => R | Promise<R>,
    fault: (body: Json) => string | null,
  ) =>
    setHandler(
      defineUpdate<R, [body: Json, waits: Json | undefined]>(name),
      async (body) => {
        updates += 1;
        const answer = await handle(body);
        show();
        return answer;
      },
      {
        description,
        // A refusal by the validator leaves nothing in history.
        validator: (body, waits) => {
          mustBeInTime(waits);
          const reason = fault(body);
          if (reason !== null) throw ApplicationFailure.nonRetryable(reason, 'holdfast.not_taken');
        },
      },
    );
  /** The ids of turns are not known yet, or a client resumes after a turn whose end this session has not seen yet. */
  const isEarly = ({ resume }: SendBody) => data.series === null || (resume === true && mayBeOver());
  /** A client that resumes has had to wait for the end of a turn: the loop acts after it has its answer. */
  let hadToWait = false;
  const takeInTurn = async (body: SendBody) => {
    // Asked for each that resumes: in a replay the end of the turn may be known before (decision 0095).
    const resumes = body.resume === true && patched('resume-before-next-turn');
    if (isEarly(body)) {
      hadToWait ||= resumes;
      await condition(() => !isEarly(body));
      // Other messages may have arrived meanwhile.
      const reason = sendFault(data, input, body);
      if (reason !== null) throw ApplicationFailure.nonRetryable(reason, 'holdfast.not_taken');
    }
    return take(data, input.session_id, body, now());
  };
  const notClosed = () => (data.closing ? `session ${input.session_id} is closed` : null);

  onUpdate<OpenedAnswer>(
    SESSION_UPDATES.opened,
    'Answers once the session has begun, or tells why it cannot.',
    () => condition(() => openedAnswer !== null).then(() => openedAnswer!),
    () => null,
  );
  onUpdate<SendAnswer>(
    SESSION_UPDATES.send,
    'A message: {"message_id": "…", "message": "…", "requester": "…"}. Answers with the id of its turn.',
    (body) => takeInTurn((readSend(body) as ReadSend & { ok: true }).body),
    (body) => {
      const read = readSend(body);
      return read.ok ? sendFault(data, input, read.body, mayBeOver()) : read.reason;
    },
  );
  onUpdate<DecideAnswer>(
    SESSION_UPDATES.interrupt,
    'Ends the running turn before its next step: {"by": "…"}. What waits is held until somebody resumes or says something.',
    (body) => interrupt(data, body),
    (body) => faultOf(readBy(body)) ?? (data.running ? null : 'no turn runs'),
  );
  onUpdate<DecideAnswer>(
    SESSION_UPDATES.rename,
    'Another title: {"title": "…"}.',
    (body) => {
      data.title = (readTitle(body) as { title: string }).title;
      upsertMemo({ [MEMO_TITLE]: data.title });
      return ACCEPTANCE;
    },
    (body) => faultOf(readTitle(body)) ?? notClosed(),
  );
  onUpdate<DecideAnswer>(
    SESSION_UPDATES.close,
    'Takes no more messages; what runs comes to its end: {"by": "…"}.',
    () => {
      data.closing = true;
      return ACCEPTANCE;
    },
    (body) => faultOf(readBy(body)),
  );

  if (openedAnswer === null) openedAnswer = await fork(input, data);
  if (!openedAnswer.opened) {
    await condition(allHandlersFinished, ENDS_WITHIN);
    throw ApplicationFailure.nonRetryable(openedAnswer.reason, 'holdfast.fork_refused');
  }
  if (data.series === null) await begin(input, data);
  const full = () => updates >= MOST_UPDATES || workflowInfo().continueAsNewSuggested;
  show();
  while (!isOver(data)) {
    await waitForActivation();
    if (hadToWait) {
      hadToWait = false;
      await waitForActivation();
    }
    if (full()) {
      // A client that resumes has no answer before the session has looked at a turn that may be over.
      const looksFirst = patched('full-session-looks');
      await condition(() => allHandlersFinished() || (looksFirst && mayBeOver()));
      if (!looksFirst || !mayBeOver()) await continueAsNew<typeof session>({ ...input, resume: asJson(data) });
    }
    const next = nextInQueue(data);
    if (data.running) {
      const end = await turnEnd(data.running.turn_id);
      if (end) {
        recordTurnEnd(data, data.running.turn_id, end);
        endedTurn = null;
      }
      looking = false;
    } else if (next) {
      data.queue = data.queue.slice(1);
      data.running = { turn_id: next.turn_id, since: now() };
      if (data.series !== undefined) data.running_message = hashJson(next.message);
      const { head, context_full, agent } = data;
      const mayHaveEnded = () => void (data.running?.turn_id === next.turn_id && (endedTurn = next.turn_id));
      await startTurn(input, { ...next, agent, head, context_full, ...runningTurnOf(data) }, mayHaveEnded);
    } else {
      await condition(() => nextInQueue(data) !== null || isOver(data) || full());
    }
    show();
  }
  await condition(allHandlersFinished);
  return { ...view(), state: 'closed', ended_at: now() };

  /** Null: the turn still runs, and this run of the session is full. */
  async function turnEnd(turn_id: string): Promise<Exclude<LookAtTurnOutput, { state: 'running' }> | null> {
    for (let wait = FIRST_LOOK; ; wait = Math.min(LONGEST_LOOK_MS, wait * 2)) {
      await condition(() => endedTurn === turn_id || full(), wait);
      if (endedTurn !== turn_id && full()) return null;
      const within_ms = endedTurn === turn_id ? ENDS_WITHIN : 0;
      endedTurn = null;
      looking = true;
      const report = await look({ turn_id, session_id: input.session_id, within_ms, ...runningTurnOf(data) });
      if (report.state !== 'running') return report;
      looking = false;
    }
  }
}

// A session outlives builds, like the other entities; a worker without a version must not set this.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' as const } : {}),
  session,
);

/**
 * Resolves when everything in this activation has been handled: updates are answered before the loop acts on what arrived with
 * them. A restarted worker may see in separate activations what a replay sees in one (temporal/executions.ts); this way both act
 * in the same order.
 */
async function waitForActivation(): Promise<void> {
  let wasEvaluated = false; // the SDK evaluates a condition once when it is made, and then after everything else
  await condition(() => wasEvaluated || !(wasEvaluated = true));
}

const ACCEPTANCE: DecideAnswer = { accepted: true, reason: null };

/** Messages that waited for the series are answered before the loop acts on them, like later ones. */
async function begin(input: SessionInput, data: SessionData): Promise<void> {
  data.series = await seriesOf(input);
  await waitForActivation();
}

/** Distinguishes the running turn from any other turn of its id. */
function runningTurnOf({ running_message: message_hash }: SessionData): { of?: TurnOfSession } {
  if (message_hash === undefined) return {};
  return { of: { session_run: workflowInfo().firstExecutionRunId, message_hash } };
}

/** If this cannot be found out, the session counts as opened anew: the ids of its turns are then unique in any case. */
async function seriesOf({ session_id }: SessionInput): Promise<string> {
  const { firstExecutionRunId: session_run } = workflowInfo();
  try {
    return (await beginSession({ session_id, session_run })).first ? '' : sessionSeries(session_run);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return sessionSeries(session_run);
  }
}

async function look(input: LookAtTurnInput): Promise<LookAtTurnOutput> {
  try {
    return await lookAtTurn(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { state: 'lost', reason: `Nobody could tell how it ended: ${error.cause?.message ?? error.message}` };
  }
}

async function fork({ session_id, fork: from }: SessionInput, data: SessionData): Promise<OpenedAnswer> {
  try {
    const result = await checkFork({ session_id, ...from! });
    if (!result.ok) return { opened: false, reason: result.reason, near: result.near };
    data.head = from!.block;
    data.forked_from = { block: from!.block, turn_id: result.turn_id };
    if (data.agent === '') {
      data.agent = result.agent;
      upsertSearchAttributes([keyword('agent', data.agent)]);
    }
    return { opened: true };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { opened: false, reason: error.cause?.message ?? error.message, near: null };
  }
}

/**
 * A turn ran when the validator took it. In a replay the end of that turn may be known before (decision 0095): the command must be the
 * same.
 */
async function interrupt({ running, last }: SessionData, body: Json): Promise<DecideAnswer> {
  const { turn_id } = running ?? last.at(-1)!;
  try {
    await getExternalWorkflowHandle(workflowId(turn_id)).signal(INTERRUPT, body);
    return ACCEPTANCE;
  } catch {
    return { accepted: false, reason: 'the turn has ended' };
  }
}

function faultOf(read: { ok: true } | { ok: false; reason: string }): string | null {
  return read.ok ? null : read.reason;
}

function viewOf({ session_id, requester }: SessionInput, data: SessionData): SessionView {
  const { workflowId: workflow_id, runId: run_id } = workflowInfo();
  const { agent, title, head, running, held, turns, last, usage, forked_from, started_at } = data;
  return {
    session_id,
    workflow_id,
    run_id,
    agent,
    requester,
    title,
    state: data.closing ? 'closing' : 'open',
    head,
    running,
    held,
    queue: data.queue.map(({ turn_id, at }) => ({ turn_id, at })),
    turns,
    last,
    usage,
    cached_share: cachedShare(usage),
    forked_from,
    started_at,
    ended_at: null,
    ui_url: null,
  };
}

/** For the Web UI, which cuts off the end of the text: the most important lines come first. */
function details({ title, agent, requester, running, held, queue, turns }: SessionView): string {
  return [
    `## ${inlineCode(title ?? 'Conversation')}`,
    '',
    ...(running ? [`- runs: ${inlineCode(workflowId(running.turn_id))}`] : []),
    ...(held ? [`- held: ${inlineCode(held.turn_id)} ended ${held.state}`] : []),
    `- agent ${inlineCode(agent)}, with ${inlineCode(requester)}`,
    `- ${turns} turns have ended; ${queue.length} wait`,
  ].join('\n');
}
