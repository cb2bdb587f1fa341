/** Reads a decision from untrusted JSON: a signal from the Web UI, an update, an HTTP body. */
import { isJsonObject, type Json } from './json';
import type { DecisionFields } from './turn-view';

export type DecisionKind = 'approve' | 'deny' | 'settle';
export type ReadDecision = { ok: true; fields: DecisionFields } | { ok: false; reason: string };

const CALL = /^[0-9a-f]{12,64}$/;
const MAX_BY = 200;
const MAX_NOTE = 4000;

/** Checks shape and types; which call is meant is decided elsewhere. */
export function readDecision(kind: DecisionKind, value: Json): ReadDecision {
  if (!isJsonObject(value)) return bad('it must be one JSON object such as {"call": "…", "by": "…"}');
  const { call, by, note, input, outcome } = value;
  const allowed = ['call', 'by', 'note', ...(kind === 'approve' ? ['input'] : []), ...(kind === 'settle' ? ['outcome'] : [])];
  const strange = Object.keys(value).find((key) => !allowed.includes(key));
  if (strange !== undefined)
    return bad(`it has a field ${JSON.stringify(strange.slice(0, 60))}; allowed are ${allowed.join(', ')}`);
  if (typeof call !== 'string' || !CALL.test(call))
    return bad('"call" must be the first 12 or more hex characters of the digest');
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_BY)
    return bad(`"by" must name who decides, in 1 to ${MAX_BY} characters`);
  if (note !== undefined && (typeof note !== 'string' || note.length > MAX_NOTE))
    return bad(`"note" must be text of at most ${MAX_NOTE} characters`);
  if (kind === 'settle' && outcome !== 'applied' && outcome !== 'not_applied')
    return bad('"outcome" must be "applied" or "not_applied"');
  return {
    ok: true,
    fields: {
      call,
      by,
      ...(note === undefined ? {} : { note }),
      ...(input === undefined ? {} : { input }),
      ...(kind === 'settle' ? { outcome: outcome as 'applied' | 'not_applied' } : {}),
    },
  };
}

function bad(reason: string): ReadDecision {
  return { ok: false, reason };
}
