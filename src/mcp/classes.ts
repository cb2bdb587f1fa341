/**
 * What a server's hints amount to. They are a server's word about itself: they can make a class stricter,
 * and be a proposal to a person; by themselves they never make a tool harmless.
 */
import { type Json, type JsonObject, isJsonObject } from '../shared/json/json';

/** From the mildest. What a person may accept; `compute` and `agent` are for tools of our own. */
export const CLASSES = ['read', 'write', 'destructive'] as const;
export type AcceptableClass = (typeof CLASSES)[number];

/** The class to propose. `write` may be repeated after a crash, so only what calls itself idempotent is proposed as that. */
export function proposedClass(annotations: Json | undefined): AcceptableClass {
  const hints = hintsOf(annotations);
  if (hints.readOnlyHint === true) return stricter('read', leastClass(annotations));
  return hints.destructiveHint === false && hints.idempotentHint === true ? 'write' : 'destructive';
}

/** The class that counts: what a person accepted, or destructive; made stricter where the server itself says so. */
export function classOf(accepted: AcceptableClass | null, annotations: Json | undefined): AcceptableClass {
  return stricter(accepted ?? 'destructive', leastClass(annotations));
}

/** Only what is said counts: MCP's defaults are no statement of the server's. */
function leastClass(annotations: Json | undefined): AcceptableClass {
  const hints = hintsOf(annotations);
  if (hints.destructiveHint === true) return 'destructive';
  return hints.readOnlyHint === false ? 'write' : 'read';
}

export function stricter(a: AcceptableClass, b: AcceptableClass): AcceptableClass {
  return CLASSES.indexOf(a) >= CLASSES.indexOf(b) ? a : b;
}

function hintsOf(annotations: Json | undefined): JsonObject {
  return isJsonObject(annotations) ? annotations : {};
}
