/** The activities as workflow code calls them: timeouts, retries, ids and summaries. */
import { ActivityCancellationType, proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { Activities, AdmittedCall, CallArguments, CallOptions, OpenSubTurnInput } from '../shared/io/activities';
import { activityId } from '../shared/ids';
import { HEARTBEAT_TIMEOUT_MS } from '../shared/turn/tool-class';

const COMMON = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;
/**
 * What a person has decided comes before the steps of other turns, where activities wait for workers: 1 is the first of five, 3 the
 * default. The server heeds it with `matching.useNewMatcher` (decision 0089). Temporal's replay does not compare it.
 */
const FIRST = { priority: { priorityKey: 1 } } as const;
/** Most attempts of activities that are safe to repeat after a dead worker or a lost answer. Tools count their own retries. */
const SAFE_ATTEMPTS = 30;

/**
 * One model request. Temporal retries it; the classified failure gives the delay. The activity limits its attempts itself, since it
 * waits for the limits of its model by failing (activities/call/heartbeat.ts).
 */
export const { takeStep } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds' },
});

/** Also a model request, but one that a turn can do without: the activity gives up after few attempts. */
export const { compact } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds' },
});

/** If the workers of a turn are gone, its end may stay unknown for long. After the last attempt the session goes on without it. */
export const { lookAtTurn, beginSession, checkFork } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 30 },
});

/** Without a limit of attempts: a firing waits for workers, as its turn does. */
export const { beginFiring, endFiring } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const SHORT = {
  ...COMMON,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const;

/** Safe to retry: previews only read, and every attempt of a store activity writes the same blocks. */
export const { admitDirect, admitCall, closeQuestion, readCard, keepSaid, readSaid, lookAtSubTurn, closeSubTurn, endTurn } =
  proxyActivities<Activities>(SHORT);

/** As safe. The sender of a decision or completion waits for the first four. */
export const { checkDecision, checkAnswer, checkSteer, completeCall, inspectEffect, settleEffect, reconcileEffect } =
  proxyActivities<Activities>({ ...SHORT, ...FIRST });

/** The limits are short because the sender of the decision waits for the answer. */
export const { forwardDecision } = proxyActivities<Activities>({
  ...COMMON,
  ...FIRST,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
});

/** Nothing waits for it. After ten minutes it is given up; approvers still find the question in the inbox. */
export const { notify } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** It fails until the freeze ends, however long that takes: attempts leave nothing in history. */
export const { waitForUnfreeze } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 1, maximumInterval: '2 seconds' },
});

const { runCall } = proxyActivities<Activities>({ ...COMMON, startToCloseTimeout: '1 minute' });

const opening = proxyActivities<Activities>(SHORT);

/** The activity id carries the digest, as in `executeCall`. */
export function openSubTurn(call: AdmittedCall, input: OpenSubTurnInput) {
  return opening.openSubTurn.executeWithOptions({ ...SHORT, activityId: idOf(input.call), summary: summary(call) }, [input]);
}

/** Runs one call with the timeouts and retries of its class. The id carries the digest, so that replay detects another input. */
export function executeCall(call: AdmittedCall, input: Parameters<Activities['runCall']>[0]) {
  return runCall.executeWithOptions(
    { ...callOptions(call, input.options), activityId: idOf(input.call), summary: summary(call) },
    [input],
  );
}

function idOf(call: CallArguments): string {
  return activityId(call.id, call.tool, call.digest, call.dispatch);
}

function callOptions(call: AdmittedCall, options: CallOptions = {}): ActivityOptions {
  const destructive = call.class === 'destructive';
  return {
    ...COMMON,
    ...(destructive ? FIRST : {}),
    startToCloseTimeout: call.timeout_ms + 10_000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    allowEagerDispatch: !destructive,
    retry:
      destructive || options.enable_retry === false
        ? { maximumAttempts: 1 }
        : {
            initialInterval: '500 milliseconds',
            backoffCoefficient: 2,
            maximumInterval: '30 seconds',
            maximumAttempts: SAFE_ATTEMPTS,
          },
  };
}

function summary(call: AdmittedCall): string {
  return `${call.class} ${call.tool}@${call.version}, call ${call.id}`;
}
