/** Which vendor's subset of schemas stands behind a provider of the AI SDK, by the package's name of itself. */
import type { ModelTool } from '../provider';
import { ANTHROPIC_SUBSET, looseTools, OPENAI_SUBSET, schemaFaults, type SchemaVendor } from './subsets';
import type { SchemaSubset } from './strict';

/** @param name such as `openai.responses`, `azure.chat`, `google.generative-ai`, `google.vertex.chat`, `anthropic.messages` */
function vendorOf(name: string): SchemaVendor | null {
  if (/^(openai|azure)\b/.test(name)) return 'openai';
  if (/\banthropic\b/.test(name)) return 'anthropic';
  return /^google\b/.test(name) ? 'google' : null;
}

/** The subset of strict schemas. Null: the vendor has none, or nobody knows it; schemas go as they are. */
export function subsetOf(name: string): SchemaSubset | null {
  const vendor = vendorOf(name);
  if (vendor === null || vendor === 'google') return null;
  return vendor === 'openai' ? OPENAI_SUBSET : ANTHROPIC_SUBSET;
}

/** What of these tools the vendor cannot be told, for `faultsOf`. */
export function toolFaults(name: string, tools: readonly ModelTool[]): string[] {
  const vendor = vendorOf(name);
  if (vendor === null) return [];
  if (vendor !== 'google') return looseTools(vendor, tools);
  return tools.flatMap((tool) => schemaFaults(vendor, tool.input_schema).map((fault) => `the tool ${tool.name}: ${fault}`));
}
