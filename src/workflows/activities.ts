/** The activities as this workflow calls them: timeouts, retries, ids and summaries. */
import { ActivityCancellationType, proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { Activities, AdmittedCall, CallArguments } from '../shared/activity-io';
import { activityId } from '../shared/ids';
import { CLASS_RULES } from '../shared/tool-class';

const COMMON = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;
/** Attempts for what is safe to repeat: a dead worker, a lost answer. Tools count their own retries. */
const SAFE_ATTEMPTS = 30;

/** One model request. Retries are Temporal's; how long to wait comes from the classified failure. */
export const { takeStep } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: SAFE_ATTEMPTS },
});

/** Previews read; store activities are idempotent: the same blocks, whatever the attempt. */
export const { admitCall, inspectEffect, settleEffect, endTurn } = proxyActivities<Activities>({
  ...COMMON,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const { runCall } = proxyActivities<Activities>({ ...COMMON, startToCloseTimeout: '1 minute' });

/** Runs one call under its class's policy. The id carries the digest, so that replay notices another input. */
export function executeCall(call: AdmittedCall, input: Parameters<Activities['runCall']>[0]) {
  return runCall.executeWithOptions({ ...callOptions(call), activityId: idOf(input.call), summary: summary(call) }, [input]);
}

function idOf(call: CallArguments): string {
  return activityId(call.id, call.tool, call.digest, call.dispatch);
}

function callOptions(call: AdmittedCall): ActivityOptions {
  const rules = CLASS_RULES[call.class];
  const destructive = call.class === 'destructive';
  return {
    ...COMMON,
    startToCloseTimeout: call.timeout_ms + 10_000,
    heartbeatTimeout: rules.heartbeatTimeoutMs,
    allowEagerDispatch: !destructive,
    retry: destructive
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
