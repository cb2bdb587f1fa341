/**
 * Renders drafted tools as TypeScript source. All text from outside (names, descriptions, choices) passes through
 * {@link literal} or {@link comment}, so that it can never become code.
 */
import type { Json, JsonObject, ToolClass } from 'holdfast/tools';

export interface DraftTool {
  name: string;
  /** Why the class was chosen, for the person who reviews the draft. */
  classReason: string;
  class: ToolClass;
  description: { does: string; returns?: string; useWhen?: string; dontUseFor?: string; example?: string; warning?: string };
  input: JsonObject;
  /** Statements of `run(input, ctx)`: our own code, with outside values only as literals. */
  run: string[];
  /** Open decisions for the person who reviews the draft, one line each. */
  decide: string[];
  untrustedOutput?: boolean;
}

export interface DraftFile {
  /** Name of the source that the tools are drafted from. */
  from: string;
  imports: string[];
  /** Our own code, with outside values only as literals. */
  head: string[];
  /** Signature of a factory function that wraps the tools. */
  factory?: string;
  tools: DraftTool[];
}

/** Thrown for a source that no tools can be drafted from. */
export class DraftError extends Error {
  override readonly name = 'DraftError';
}

/** A JSON value as a TypeScript expression. Only ASCII, so that no character in it reorders or hides source text. */
export function literal(value: Json, indent = 0): string {
  const json = JSON.stringify(value, null, indent === 0 ? undefined : 2);
  return json
    .replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/"__proto__":/g, '["__proto__"]:')
    .replace(/\n/g, `\n${' '.repeat(indent)}`);
}

/** One line of comment. */
export function comment(text: string): string {
  return `// ${text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 300)
    .trim()}`;
}

/** Text from outside for a description: one line, at most 1000 characters. */
export function words(text: unknown, otherwise: string): string {
  const line =
    typeof text === 'string'
      ? text
          .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
          .trim()
          .slice(0, 1000)
          .toWellFormed()
      : '';
  return line === '' ? otherwise : line;
}

/** Converts a name of the source to a tool's name in snake_case. */
export function toolName(text: string): string {
  const snake = text
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  if (snake === '') return 'unnamed';
  return /^[a-z]/.test(snake) ? snake : `t_${snake}`;
}

/** Makes the names unique: a repeated name gets a number. */
export function unique<T extends { name: string }>(tools: T[]): T[] {
  const names = new Set<string>();
  return tools.map((tool) => {
    let name = tool.name;
    for (let count = 2; names.has(name); count++) name = `${tool.name}_${count}`;
    names.add(name);
    return { ...tool, name };
  });
}

export function render(file: DraftFile): string {
  if (file.tools.length === 0) throw new DraftError(`${file.from}: there is nothing to draft a tool from.`);
  const tools = unique(file.tools).map((tool) => ({ constant: constantOf(tool.name), text: renderTool(tool) }));
  const consts = tools.map(({ constant, text }) => `const ${constant} = ${text};`).join('\n\n');
  const list = `[${tools.map(({ constant }) => constant).join(', ')}]`;
  const body = file.factory
    ? `export function ${file.factory} {\n${indentLines(`${consts}\n\nreturn ${list};`, 2)}\n}`
    : `${consts.replace(/^const /gm, 'export const ')}\n\nexport const tools = ${list};`;
  const lines = [
    comment(`Drafted by "holdfast tools draft" from ${file.from}. Go through each "decide:" line, and then delete it.`),
    ...file.imports,
    '',
    ...(file.head.length > 0 ? [...file.head, ''] : []),
    body,
  ];
  return `${lines.join('\n')}\n`;
}

function constantOf(name: string): string {
  return `${name.replace(/_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())}Tool`;
}

function renderTool(tool: DraftTool): string {
  const decide = [`class: ${tool.classReason}`, ...tool.decide];
  const run = tool.run.map((line) => indentLines(line, 4)).join('\n');
  return [
    'defineTool({',
    ...decide.map((line) => `  ${comment(`decide: ${line}`)}`),
    `  name: ${literal(tool.name)},`,
    `  version: "0.1.0",`,
    `  class: ${literal(tool.class)},`,
    `  description: ${literal(tool.description, 2)},`,
    `  input: ${literal(tool.input, 2)},`,
    ...(tool.untrustedOutput ? ['  untrustedOutput: true,'] : []),
    '  async run(input: Record<string, any>, ctx) {',
    run,
    '  },',
    '})',
  ].join('\n');
}

function indentLines(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by));
}
