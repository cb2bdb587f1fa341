/** What a probe answered, read as what it may be: it is asked when something went wrong, and may go wrong itself. */
import { isJsonObject, type Json } from '../shared/json';
import type { Outcome } from './tool';

/** Characters; what is longer is cut. */
const LONGEST_EVIDENCE = 4000;

export interface Found {
  outcome: Outcome;
  evidence: string;
  data?: Json;
}

/** Whatever is no answer knows nothing, and says so. */
export function readReconciled(answer: Json): Found {
  const { outcome, evidence, data } = isJsonObject(answer) ? answer : { outcome: answer };
  if (outcome !== 'applied' && outcome !== 'not_applied' && outcome !== 'unknown') {
    const said = (JSON.stringify(outcome) ?? 'nothing').slice(0, 100).toWellFormed();
    return unknown(`The probe answered ${said}; it must be "applied", "not_applied" or "unknown".`);
  }
  const text = typeof evidence === 'string' ? evidence : '';
  return { ...unknown(text), outcome, ...(data === undefined ? {} : { data }) };
}

export function unknown(evidence: string): Found {
  return { outcome: 'unknown', evidence: evidence.slice(0, LONGEST_EVIDENCE).toWellFormed() };
}
