/** Converts Temporal's messages to plain JSON: payloads decoded, durations in milliseconds. */
import type { coresdk, temporal } from '@temporalio/proto';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

type Payload = temporal.api.common.v1.IPayload;
type Failure = temporal.api.failure.v1.IFailure;
type RetryPolicy = temporal.api.common.v1.IRetryPolicy;
type Fields = { [key: string]: Payload } | null | undefined;
/** A 64-bit number: the sandbox has its own Long class; a clone has none of its methods. */
type Whole = { low: number; high: number } | number | null | undefined;

/** The value of a payload; a payload that is not JSON gives its bytes in base64. */
export function valueOf(payload: Payload | null | undefined): Json {
  const { metadata, data } = payload ?? {};
  const encoding = metadata?.encoding ? Buffer.from(metadata.encoding).toString('utf8') : '';
  if (!payload || encoding === 'binary/null') return null;
  const bytes = Buffer.from(data ?? []);
  if (encoding.startsWith('json/')) {
    try {
      return JSON.parse(bytes.toString('utf8')) as Json;
    } catch {
      // given as bytes below
    }
  }
  return { encoding, base64: bytes.toString('base64') };
}

export const valuesOf = (payloads: readonly Payload[] | null | undefined): Json[] => (payloads ?? []).map(valueOf);

export const fieldsOf = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, payload]) => [name, valueOf(payload)]));

export function wholeOf(value: unknown): number {
  const whole = value as Whole;
  if (typeof whole === 'number' || !whole) return whole || 0;
  return whole.high * 2 ** 32 + (whole.low >>> 0);
}

/** Milliseconds; 0: no duration. */
export function msOf(duration: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return wholeOf(duration?.seconds) * 1000 + (duration?.nanos ?? 0) / 1e6;
}

/** The policy with the server's defaults for absent fields, as history has it. */
export function retryOf(policy: RetryPolicy | null | undefined): JsonObject {
  const initial = msOf(policy?.initialInterval) || 1000;
  return {
    initial_ms: initial,
    coefficient: policy?.backoffCoefficient || 2,
    maximum_ms: msOf(policy?.maximumInterval) || 100 * initial,
    maximum_attempts: policy?.maximumAttempts ?? 0,
    non_retryable: [...(policy?.nonRetryableErrorTypes ?? [])],
  };
}

/** The failure without stack traces: they change with every line of code. */
export function failureOf(failure: Failure | null | undefined): Json {
  if (!failure) return null;
  const { applicationFailureInfo: own, activityFailureInfo: activity, childWorkflowExecutionFailureInfo: child } = failure;
  return {
    message: failure.message ?? '',
    type: own?.type ?? activity?.activityType?.name ?? child?.workflowType?.name ?? '',
    non_retryable: own?.nonRetryable ?? false,
    details: valuesOf(own?.details?.payloads ?? failure.canceledFailureInfo?.details?.payloads),
    cause: failureOf(failure.cause),
  };
}

export function outcomeOf(
  outcome: coresdk.workflow_commands.IUpdateResponse | temporal.api.update.v1.IOutcome | null | undefined,
): JsonObject {
  if (outcome && 'completed' in outcome && outcome.completed) return { result: valueOf(outcome.completed), failure: null };
  const { success, failure } = (outcome ?? {}) as temporal.api.update.v1.IOutcome;
  return failure ? { result: null, failure: failureOf(failure) } : { result: valueOf(success?.payloads?.[0]), failure: null };
}

export { isJsonObject, type Json, type JsonObject };
