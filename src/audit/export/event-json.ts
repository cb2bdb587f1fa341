/** Converts an event of Temporal's history to proto3 JSON, and decodes the JSON values of its payloads. */
import type { HistoryEvent } from '../../temporal/history/read-history';
import { historyToJSON } from '../../temporal/history/history-json';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { payloadValue } from '../case-file/payload';

export function eventJson(event: HistoryEvent): JsonObject {
  const { events } = JSON.parse(historyToJSON({ events: [event] })) as { events: JsonObject[] };
  return events[0]!;
}

/** The values of payloads; a payload that is not JSON gives null. */
export function valuesOf(payloads: readonly Json[]): Json[] {
  return payloads.map(valueOf);
}

function valueOf(payload: Json): Json {
  return isJsonObject(payload) ? (payloadValue(payload) ?? null) : null;
}
