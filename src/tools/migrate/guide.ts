/** Drafts a migration guide (Markdown) from the comparison of two tool versions; a person has to review it. */
import { inlineCode, visible } from '../../shared/text/visible';
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import type { ToolJson } from '../convert/definition';
import type { Change, Comparison } from './compare';

export function migrationGuide(comparison: Comparison, old: ToolJson, next: ToolJson): string {
  const { tool, from, to, changes, verdict } = comparison;
  const breaking = changes.filter((change) => change.breaking);
  const approval = changes.filter((change) => change.approval && !change.breaking);
  const rest = changes.filter((change) => !change.breaking && !change.approval);
  const lines = [
    `# Migrating ${inlineCode(tool)} from ${from} to ${to}`,
    '',
    `${verdict[0]!.toUpperCase()}${verdict.slice(1)}.`,
    ...note(next),
    ...section('What callers have to change', breaking),
    ...section('What changes for approvers', approval),
    ...section('What else changed', rest),
    ...steps(breaking, old, next),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function note(next: ToolJson): string[] {
  const text = next.changelog?.[next.version];
  return text === undefined ? [] : ['', `> ${plain(text)}`];
}

function section(title: string, changes: Change[]): string[] {
  if (changes.length === 0) return [];
  return ['', `## ${title}`, '', ...changes.map((change) => `- ${where(change)}: ${plain(change.what)}`)];
}

function where({ part, path }: Change): string {
  return part === 'input' || part === 'output' ? `${part} ${inlineCode(path === '' ? '/' : path)}` : inlineCode(path.slice(1));
}

function steps(breaking: Change[], old: ToolJson, next: ToolJson): string[] {
  const list = breaking.map(instruction).filter((line) => line !== null);
  if (list.length === 0) return [];
  const numberedLines = list.map((line, index) => `${index + 1}. ${line}`);
  const before = sample(old);
  const after = sample(next);
  const example = breaking.some(({ part }) => part === 'input')
    ? [
        '',
        'The required fields, before and after:',
        '',
        '```json',
        `// ${old.version}`,
        before,
        `// ${next.version}`,
        after,
        '```',
      ]
    : [];
  return ['', '## Steps', '', ...numberedLines, ...example];
}

function instruction({ part, kind, path, what }: Change): string | null {
  const at = inlineCode(path === '' ? '/' : path);
  if (part === 'output') return `Read ${at} of the result anew: ${plain(what)}.`;
  if (part === 'class') return `Expect that calls are handled otherwise: ${plain(what)}.`;
  if (part !== 'input') return `Check ${at}: ${plain(what)}.`;
  switch (kind) {
    case 'removed':
      return `Stop sending ${at}.`;
    case 'renamed':
      return `Send ${at} under its new name (${plain(what)}). This is a guess from its schema and words: check it.`;
    case 'newly_required':
      return `Always send ${at}.`;
    case 'retyped':
      return `Send ${at} in its new type: ${plain(what)}.`;
    case 'enum':
      return `Choose ${at} among the new values: ${plain(what)}.`;
    default:
      return `Check what you send as ${at}: ${plain(what)}.`;
  }
}

/** The required fields as JSON, each with the type of its value. */
function sample({ parameters }: ToolJson): string {
  const properties = (parameters.properties ?? {}) as JsonObject;
  const required = (parameters.required ?? []) as string[];
  const kindOf = (schema: Json | undefined): Json => {
    if (!isJsonObject(schema)) return '…';
    if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
    return 'const' in schema ? (schema.const as Json) : `<${String(schema.type ?? 'value')}>`;
  };
  const fields = required.map((name) => [name, kindOf(Object.hasOwn(properties, name) ? properties[name] : undefined)] as const);
  return visible(JSON.stringify(Object.fromEntries(fields))).replace(/`/g, 'ˋ');
}

/** Escapes a definition's text for Markdown: one line, without markup. */
function plain(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#|]/g, '\\$&')
    .trim();
}
