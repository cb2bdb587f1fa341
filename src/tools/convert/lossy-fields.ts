/** Lists the fields of a tool definition that a vendor's format loses. */
import type { ToolJson } from './definition';
import { formatValue, type Loss } from './conversion';

/** Default values of a definition: a field with its default value is no loss. */
const DEFAULTS: Partial<Record<keyof ToolJson, unknown>> = {
  cacheable: false,
  streaming: false,
  deprecated: false,
  egress: false,
  untrusted_output: false,
  idempotent: false,
  internal_only: false,
};

/** One loss for each field that the other format does not keep. @param supportedFields the fields that it keeps */
export function lossesOfUnsupportedFields(definition: ToolJson, supportedFields: (keyof ToolJson)[], side: string): Loss[] {
  return Object.entries(definition)
    .filter(([field, value]) => !supportedFields.includes(field as keyof ToolJson) && value !== DEFAULTS[field as keyof ToolJson])
    .map(([field, value]) => ({ path: `/${field}`, what: `${side} has no place for ${field}: ${formatValue(value)}` }));
}
