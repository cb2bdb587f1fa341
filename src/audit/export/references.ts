/**
 * Collects what a value refers to in the store. Only fields of the engine count, and none inside what a model, a tool or a person
 * wrote: with a reference there, its author could draw another person's part into a bundle.
 */
import { isJsonObject, type Json } from '../../shared/json/json';
import { ownText } from './own-text';
import { isHash } from '../../shared/json/sha256';

const PARTS = new Set(['input_ref', 'preview_ref', 'card_ref', 'result_ref']);
const OBJECTS = new Set(['policy_ref', 'definition_ref']);
const FOREIGN = new Set(['input', 'data', 'content', 'body']);

export interface References {
  /** Parts, by hash. */
  parts: Set<string>;
  /** Rules and definitions, by hash. */
  objects: Set<string>;
}

export function noReferences(): References {
  return { parts: new Set(), objects: new Set() };
}

/** Adds the value's references, at any depth. */
export function collect(value: Json, into: References): void {
  if (Array.isArray(value)) for (const one of value) collect(one, into);
  if (!isJsonObject(value)) return;
  for (const [field, fieldValue] of Object.entries(value)) {
    if (FOREIGN.has(field)) continue;
    if (typeof fieldValue !== 'string') collect(fieldValue, into);
    else if (!isHash(fieldValue)) continue;
    else if (PARTS.has(field)) into.parts.add(ownText(fieldValue));
    else if (OBJECTS.has(field)) into.objects.add(ownText(fieldValue));
  }
}
