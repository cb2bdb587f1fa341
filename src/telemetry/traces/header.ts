/** The trace context in a header of Temporal, in the form of Temporal's own interceptors for OpenTelemetry. It is never encrypted. */
import { defaultPayloadConverter, type Headers, type Payload } from '@temporalio/common';
import { TRACE_HEADER } from '../../shared/io/turn';
import { onlyTraceFields, type TraceFields } from './api';

/** The same headers if there is no trace context. */
export function withTraceHeader(headers: Headers, fields: TraceFields): Headers {
  return Object.keys(fields).length === 0 ? headers : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(fields) };
}

/** The trace context of a header that anybody may have sent. */
export function fieldsIn(header: Payload): TraceFields {
  try {
    const carrier = defaultPayloadConverter.fromPayload(header);
    return typeof carrier === 'object' && carrier !== null ? onlyTraceFields(carrier as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
