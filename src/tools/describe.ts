import { deprecationNotice, deprecationOf } from './lifecycle';
import type { DescriptionParts, Tool } from './tool';

/** Stands before the description of a destructive tool. */
export const DESTRUCTIVE_NOTE =
  'DESTRUCTIVE: has effects that cannot be undone. A person is asked before it runs; never ask the user for a flag.';

/** The one text that the model reads, from the parts that the author wrote. A destructive tool says so first. */
export function describe(tool: Pick<Tool, 'class' | 'description' | 'deprecated' | 'sunsetDate' | 'replacement'>): string {
  const does = typeof tool.description === 'string' ? tool.description.trim() : fromParts(tool.description);
  const deprecation = deprecationOf(tool);
  const text = deprecation === null ? does : `DEPRECATED: ${deprecationNotice(deprecation)}\n${does}`;
  return tool.class === 'destructive' ? `${DESTRUCTIVE_NOTE}\n${text}` : text;
}

function fromParts(parts: DescriptionParts): string {
  const labelled: [string, string | undefined][] = [
    ['RETURNS', parts.returns],
    ['USE WHEN', parts.useWhen],
    ["DON'T USE FOR", parts.dontUseFor],
    ['EXAMPLE', parts.example],
    ['WARNING', parts.warning],
  ];
  const lines = labelled.filter(([, text]) => text !== undefined).map(([label, text]) => `${label}: ${text!.trim()}`);
  return [parts.does.trim(), ...lines].join('\n');
}
