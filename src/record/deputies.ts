/** The register of the store that says when a deputyship was ended before its time. Nobody deletes it: what was ended stays so. */
import { isJsonObject, type Json } from '../shared/json/json';

/** @param id the first 16 hex characters of the deputyship's hash */
export function endedDeputyship(id: string): string {
  return `kept/deputies/ended/${id}`;
}

/** When and by whom it was ended. */
export interface DeputyshipEnd {
  /** ISO 8601 */
  at: string;
  by: string;
}

/** Null: it was not ended. Whatever else stands in the register ends it. */
export function readDeputyshipEnd(value: Json): DeputyshipEnd | null {
  if (value === null) return null;
  const { at = '', by = '' } = isJsonObject(value) ? value : {};
  return { at: typeof at === 'string' ? at : '', by: typeof by === 'string' ? by : '' };
}
