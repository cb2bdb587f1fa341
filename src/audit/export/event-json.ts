/** One event of Temporal's history as proto3 JSON, and the JSON values that its payloads hold. */
import type { HistoryEvent } from '../../temporal/history';
import { historyToJSON } from '../../temporal/history-json';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { payloadValue } from '../case-file/payload';

export function eventJson(event: HistoryEvent): JsonObject {
  const { events } = JSON.parse(historyToJSON({ events: [event] })) as { events: JsonObject[] };
  return events[0]!;
}

/** The values of a `{payloads: […]}`; what is not JSON is null. */
export function valuesOf(payloads: Json | undefined): Json[] {
  if (!isJsonObject(payloads) || !Array.isArray(payloads.payloads)) return [];
  return payloads.payloads.map(valueOf);
}

function valueOf(payload: Json): Json {
  return isJsonObject(payload) ? (payloadValue(payload) ?? null) : null;
}
