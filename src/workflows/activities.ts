/** The activities as this workflow calls them: timeouts, retries, ids and summaries. */
import { ActivityCancellationType, proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { Activities, AdmittedCall, CallArguments, CallOptions, OpenSubTurnInput } from '../shared/io/activities';
import { activityId } from '../shared/ids';
import { HEARTBEAT_TIMEOUT_MS } from '../shared/turn/tool-class';

const COMMON = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;
/** Attempts for what is safe to repeat: a dead worker, a lost answer. Tools count their own retries. */
const SAFE_ATTEMPTS = 30;

/** One model request. Retries are Temporal's; how long to wait comes from the classified failure. */
export const { takeStep } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: SAFE_ATTEMPTS },
});

/** One model request too, and one that a turn can do without: it is not tried for long. */
export const { compact } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: 6 },
});

/** Of a turn whose workers are gone it may take long until somebody can tell: then the session goes on without. */
export const { lookAtTurn, beginSession, checkFork } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 30 },
});

/** Previews read; store activities are idempotent: the same blocks, whatever the attempt. */
export const {
  admitDirect,
  admitCall,
  inspectEffect,
  settleEffect,
  reconcileEffect,
  checkDecision,
  closeQuestion,
  checkSteer,
  readCard,
  keepSaid,
  readSaid,
  lookAtSubTurn,
  closeSubTurn,
  endTurn,
} = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Somebody waits for the answer, whoever has sent the decision. */
export const { forwardDecision } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
});

/** Nobody waits for it: after this long whoever should have been told looks into the inbox. */
export const { notify } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const { runCall } = proxyActivities<Activities>({ ...COMMON, startToCloseTimeout: '1 minute' });

const OPENING: ActivityOptions = {
  ...COMMON,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};
const opening = proxyActivities<Activities>(OPENING);

/** The id carries the digest, as that of any call that is run. */
export function openSubTurn(call: AdmittedCall, input: OpenSubTurnInput) {
  return opening.openSubTurn.executeWithOptions({ ...OPENING, activityId: idOf(input.call), summary: summary(call) }, [input]);
}

/** Runs one call under its class's policy. The id carries the digest, so that replay notices another input. */
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
