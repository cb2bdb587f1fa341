import type { ToolJson } from './definition';
import { formatValue, type Loss } from './conversion';

/** What a definition says by default: leaving it out loses nothing. */
const DEFAULTS: Partial<Record<keyof ToolJson, unknown>> = {
  cacheable: false,
  streaming: false,
  deprecated: false,
  egress: false,
  untrusted_output: false,
  idempotent: false,
  internal_only: false,
};

/** One loss for each field of the definition that the other side has no place for. */
export function lossesBeside(definition: ToolJson, kept: (keyof ToolJson)[], side: string): Loss[] {
  return Object.entries(definition)
    .filter(([field, value]) => !kept.includes(field as keyof ToolJson) && value !== DEFAULTS[field as keyof ToolJson])
    .map(([field, value]) => ({ path: `/${field}`, what: `${side} has no place for ${field}: ${formatValue(value)}` }));
}
