/** Reads permission rules from a YAML or JSON file. */
import { readFileSync } from 'node:fs';
import type { Document, LineCounter, Node } from 'yaml';
import { shapeFaults } from './policy';
import { parseRule } from './rule';
import { EFFECTS, type AgentPermissions, type RuleEntry } from './types';
import { errorMessage } from '../shared/text/error-message';
import { depthFault } from './yaml-depth';

// oxlint-disable-next-line typescript/no-require-imports -- most agents have their rules in code; an agent is defined without waiting
const yaml = () => require('yaml') as typeof import('yaml');

/**
 * Reads `mode`, `allow`, `ask` and `deny` from a YAML or JSON file, for `defineAgent({ permissions: … })`.
 * Whether the rules fit the agent's tools is checked there.
 * @throws Error that lists every fault, with its line
 */
export function readPermissions(path: string): Partial<AgentPermissions> {
  return parsePermissions(readText(path), path);
}

/** @param name of the text, for the error. @throws Error that lists every fault, with its line */
export function parsePermissions(text: string, name: string): Partial<AgentPermissions> {
  const deep = depthFault(text);
  if (deep !== null) throw new Error(`${name} holds no permission rules: ${deep}.`);
  const counter = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, { lineCounter: counter, schema: 'core', maxAliasCount: 0 } as never);
  const faults = document.errors.map((error) => `line ${error.linePos?.[0].line ?? '?'}: ${error.message.split('\n')[0]}`);
  if (faults.length === 0) faults.push(...contentFaults(document, (node) => lineOf(node, counter)));
  if (faults.length > 0) throw new Error(`${name} holds no permission rules:\n- ${faults.join('\n- ')}`);
  return document.toJS({ maxAliasCount: 0 }) as Partial<AgentPermissions>;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The permission rules ${path} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function contentFaults(document: Document.Parsed, line: (node: unknown) => string): string[] {
  const root = document.contents;
  if (!yaml().isMap(root)) return [`it must be a mapping with mode, ${EFFECTS.join(', ')}`];
  const faults = shapeFaults(document.toJS({ maxAliasCount: 0 }) as object).map((fault) => `${line(root)}${fault}`);
  for (const effect of EFFECTS) {
    const list: unknown = root.get(effect, true);
    if (!yaml().isSeq(list)) continue;
    for (const item of list.items as Node[]) {
      const result = parseRule(effect, item.toJS(document) as RuleEntry);
      if (!result.ok) faults.push(`${line(item)}${result.fault}`);
    }
  }
  return faults;
}

function lineOf(node: unknown, counter: LineCounter): string {
  const { range } = node as { range?: [number, number, number] };
  return range ? `line ${counter.linePos(range[0]).line}: ` : '';
}
