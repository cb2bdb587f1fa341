/** Handles the signals and updates with which people decide, steer and interrupt. No input can fail or stall the turn. */
import { ActivityFailure, ApplicationFailure, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { type DecisionKind, readDecision, readSteer } from '../../shared/approval/decision';
import { isJsonObject, type Json, jsonBytes } from '../../shared/json/json';
import { decodePayload } from '../../shared/wire/payload';
import { untilOf } from '../../shared/wire/waits';
import {
  ANSWER_UPDATE,
  COMPLETE_UPDATE,
  DECIDE_UPDATE,
  type DecideAnswer,
  INTERRUPT,
  SIGNALS,
  STEER,
  SUB_TURN_SIGNAL,
} from '../contract';
import { BAD_OFFER, readOffer, type Arrivals, type Arrival, onSignals, updateSender } from '../sandbox/signals';
import type { ApprovalQuestions } from './approval-questions';
import type { DecisionOrigin } from './decision-rules';
import type { Dispatch } from '../call/dispatch-types';
import { mustBeInTime, now } from '../sandbox/time';
import { type Interruption, readBy } from '../turn/ending';
import type { TurnData } from '../turn/state';
import { noteChildSignal } from '../sub-agents/sub-turns';
import type { Steering } from '../turn/steering';
import { ignoreSignal } from '../turn/state-limits';

const DESCRIPTIONS: Record<DecisionKind, string> = {
  approve:
    'Approve one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<optional>"}; with "input": {…} another input is asked about instead.',
  deny: 'Deny one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<the model reads it>"}.',
  settle:
    'Say what became of a call in doubt. Paste {"call": "<digest>", "by": "<your name>", "outcome": "applied" or "not_applied", "note": "<optional>"}.',
  answer:
    'Answer a question of the model. Paste {"call": "<digest from the card>", "by": "<your name>", "value": <the answer>, "note": "<optional>"}.',
};

const STEER_DESCRIPTION =
  'Say something to the model before its next step. Paste {"text": "<what it shall read>", "by": "<your name>"}.';
const INTERRUPT_DESCRIPTION =
  'Ends the turn before its next step; the conversation can go on afterwards. Paste {"by": "<your name>"}.';
const NO_MODEL_INTERRUPT = 'a direct call has no steps; cancel it';
const NO_MODEL = 'a direct call has no model that could read it';

/** Largest update, bytes of JSON. An edited input goes on to activities, whose arguments Temporal limits to 2 MB. */
const LARGEST_DECISION = 256_000;

/** Handles what people say to the model; a direct call has none. */
interface Loop {
  steering: Steering;
  interruption: Interruption;
}

/** @param loop null for a direct call, which has no model */
export function handleDecisions({ data, questions, forwarding, arrivals, completions }: Dispatch, loop: Loop | null): void {
  const steering = loop?.steering ?? null;
  const decide: Decide = (kind, fields, from) =>
    forwarding.take(kind, fields, from, questions.open()) ?? questions.decide(kind, fields, from);
  // The Web UI lists signals that have a handler. The signals themselves never reach these handlers (signals.ts).
  for (const kind of Object.keys(SIGNALS) as DecisionKind[]) {
    setHandler(defineSignal(SIGNALS[kind]), () => undefined, { description: DESCRIPTIONS[kind] });
  }
  if (loop) {
    setHandler(defineSignal(STEER), () => undefined, { description: STEER_DESCRIPTION });
    setHandler(defineSignal(INTERRUPT), () => undefined, { description: INTERRUPT_DESCRIPTION });
  }
  onSignals((arrival) => {
    const { name: signal, identity } = arrival;
    const recordReason = (reason: string | null) => {
      if (reason !== null) ignoreSignal(data, { at: now(), signal, identity, reason });
    };
    const reason = arrivals.inTurn(() => fromSignal(arrival, { data, decide, loop }));
    if (reason instanceof Promise)
      reason.then(recordReason, (error: unknown) => recordReason(`it could not be checked: ${textOf(error)}`));
    else recordReason(reason);
  });

  setHandler(
    defineUpdate<DecideAnswer, Update>(DECIDE_UPDATE),
    (body, waits) => answerUpdate(arrivals, waits, (from) => fromUpdate(body, decide, from)),
    {
      description: 'A decision with an answer: {"decision": "approve" | "deny" | "settle", "call": "…", "by": "…", …}.',
      validator: (body, waits) => {
        mustBeInTime(waits);
        if (!isJsonObject(body) || !isKind(body.decision) || body.decision === 'answer') {
          throw ApplicationFailure.nonRetryable('"decision" must be "approve", "deny" or "settle"', 'holdfast.bad_decision');
        }
        mustBeSmall(body);
      },
    },
  );
  setHandler(
    defineUpdate<DecideAnswer, Update>(ANSWER_UPDATE),
    (body, waits) => answerUpdate(arrivals, waits, (from) => fromDecision('answer', body, decide, from)),
    {
      description: 'An answer to a question of the model: {"call": "…", "by": "…", "value": …}.',
      validator: (body, waits) => {
        mustBeInTime(waits);
        const read = readDecision('answer', body);
        if (!read.ok) throw ApplicationFailure.nonRetryable(read.reason, 'holdfast.bad_answer');
      },
    },
  );
  setHandler(
    defineUpdate<DecideAnswer, Update>(COMPLETE_UPDATE),
    (body, waits) => answerUpdate(arrivals, waits, () => completions.take(body)),
    {
      description: 'Completes a call that ends later; the gateway sends it: {"call": "…", "completion_ref": "…"}.',
      validator: (body, waits) => {
        mustBeInTime(waits);
        if (readOffer(body) === null) throw ApplicationFailure.nonRetryable(BAD_OFFER, 'holdfast.bad_completion');
      },
    },
  );
  setHandler(
    defineUpdate<DecideAnswer, Update>(INTERRUPT),
    (body) => answerUpdate(arrivals, undefined, () => interrupt(body, loop)),
    {
      description: 'Ends the turn before its next step, with an answer: {"by": "…"}.',
      validator: (body, waits) => {
        mustBeInTime(waits);
        const read = readBy(body);
        if (!read.ok) throw ApplicationFailure.nonRetryable(read.reason, 'holdfast.bad_interrupt');
      },
    },
  );
  setHandler(
    defineUpdate<DecideAnswer, Update>(STEER),
    (body, waits) => answerUpdate(arrivals, waits, (from) => steer(body, steering, from)),
    {
      description: 'A message to the running turn, with an answer: {"text": "…", "by": "…"}.',
      // A refusal by the validator leaves nothing in history.
      validator: (body, waits) => {
        mustBeInTime(waits);
        const read = readSteer(body);
        const reason = steering === null ? NO_MODEL : read.ok ? steering.refusalReason() : read.reason;
        if (reason !== null) throw ApplicationFailure.nonRetryable(reason, 'holdfast.bad_steer');
      },
    },
  );
}

/** The body, and until when the sender waits (shared/wire/waits.ts). */
type Update = [body: Json, waits: Json | undefined];
/** The origin of an accepted update: its sender, when it was accepted, and until when the sender waited. */
interface FromUpdate {
  channel: 'update';
  identity: string;
  until?: string;
  at?: string;
}

type Reason = string | null | Promise<string | null>;

type Decide = ApprovalQuestions['decide'];

function fromSignal(
  { name, identity, payloads }: Arrival,
  { data, decide, loop }: { data: TurnData; decide: Decide; loop: Loop | null },
): Reason {
  if (!isKind(name) && name !== STEER && name !== INTERRUPT && name !== SUB_TURN_SIGNAL)
    return `there is no signal ${JSON.stringify(name)}`;
  if (payloads.length > 1) return `it carries ${payloads.length} payloads; one is allowed`;
  const payload = decodePayload(payloads[0]);
  if (!payload.ok) return payload.reason;
  if (name === SUB_TURN_SIGNAL)
    return isJsonObject(payload.value) ? noteChildSignal(data, payload.value) : 'it must be one JSON object';
  const from = { channel: 'signal' as const, identity };
  if (name === STEER) return steer(payload.value, loop?.steering ?? null, from);
  if (name === INTERRUPT) return interrupt(payload.value, loop);
  return fromDecision(name, payload.value, decide, from);
}

function fromUpdate(body: Json, decide: Decide, from: FromUpdate): Reason {
  const { decision, ...rest } = body as { decision: DecisionKind };
  return fromDecision(decision, rest as Json, decide, from);
}

function fromDecision(kind: DecisionKind, body: Json, decide: Decide, from: DecisionOrigin): Reason {
  const read = readDecision(kind, body);
  return read.ok ? decide(kind, read.fields, from) : read.reason;
}

function mustBeSmall(body: Json): void {
  const bytes = jsonBytes(body);
  if (bytes > LARGEST_DECISION)
    throw ApplicationFailure.nonRetryable(`it has ${bytes} bytes; ${LARGEST_DECISION} are allowed`, 'holdfast.bad_decision');
}

function interrupt(body: Json, loop: Loop | null): Reason {
  return loop === null ? NO_MODEL_INTERRUPT : loop.interruption.say(body);
}

function steer(body: Json, steering: Steering | null, from: { channel: 'signal'; identity: string } | FromUpdate): Reason {
  if (steering === null) return NO_MODEL;
  const read = readSteer(body);
  return read.ok ? steering.say(read.fields, from) : read.reason;
}

async function answerUpdate(
  arrivals: Arrivals,
  waits: Json | undefined,
  take: (from: FromUpdate) => Reason,
): Promise<DecideAnswer> {
  const until = untilOf(waits);
  try {
    const acceptance = until === undefined ? {} : { until, at: now() };
    const from: FromUpdate = { channel: 'update', identity: updateSender(), ...acceptance };
    const reason = await arrivals.inTurn(() => take(from));
    return { accepted: reason === null, reason };
  } catch (error) {
    return { accepted: false, reason: `it could not be checked: ${textOf(error)}` };
  }
}

/** The text of an error for the reason. A plain error thrown in a handler would fail the workflow task on every retry. */
function textOf(error: unknown): string {
  if (error instanceof ActivityFailure && error.cause) return error.cause.message.slice(0, 300);
  return error instanceof Error ? error.message.slice(0, 300) : 'unreadable';
}

function isKind(value: unknown): value is DecisionKind {
  return typeof value === 'string' && Object.hasOwn(SIGNALS, value);
}
