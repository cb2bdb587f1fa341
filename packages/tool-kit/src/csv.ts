/** Drafts a tool from a CSV file, which finds rows by column. Types, choices and ranges are inferred from a bounded sample. */
import { parse } from 'csv-parse/sync';
import { type JsonObject, setOwn } from 'holdfast/tools';
import { DraftError, literal, render, toolName } from './source';

const SAMPLE = 1000;
/** How many characters of the file are read for the sample. */
const HEAD = 512 * 1024;
const COLUMNS = 100;
/** Most different texts for which a column becomes a choice (enum). */
const CHOICES = 12;

/**
 * @param text the file's content, or its beginning
 * @param path the path that the drafted tool reads the file from
 * @throws DraftError
 */
export function draftFromCsv(text: string, from: string, path: string): string {
  const rows = sampleOf(text, from);
  const names = Object.keys(rows[0]!);
  if (names.length > COLUMNS) throw new DraftError(`${from} has ${names.length} columns; ${COLUMNS} are allowed.`);
  const where: JsonObject = {};
  const kinds: JsonObject = {};
  for (const name of names) {
    const { schema, kind } = columnOf(rows.map((row) => row[name] ?? ''));
    setOwn(where, name, schema);
    setOwn(kinds, name, kind);
  }
  const limit = { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'Rows at most' };
  return render({
    from,
    imports: [
      "import { readFile } from 'node:fs/promises';",
      "import { parse } from 'csv-parse/sync';",
      "import { defineTool } from 'holdfast';",
    ],
    head: [
      '// decide: where the file lies when the tool runs, and whether csv-parse is among your dependencies.',
      `const FILE = ${literal(path)};`,
    ],
    tools: [
      {
        name: toolName(`find_${from.replace(/\.[a-z]+$/i, '')}`),
        class: 'read',
        classReason: 'it only reads the file',
        description: {
          does: `Finds rows of the file ${from} by equal values of its columns.`,
          returns: 'rows, and total: how many there are, before the limit.',
          useWhen: 'Rows are needed, and some of their values are known.',
          dontUseFor: 'Searching inside texts, or sums.',
          example: '{"where": {}, "limit": 10}',
        },
        input: {
          type: 'object',
          properties: { where: { type: 'object', properties: where, additionalProperties: false, default: {} }, limit },
          additionalProperties: false,
        },
        run: [
          `const kinds: Record<string, string> = ${literal(kinds)};`,
          "const records = parse(await readFile(FILE, 'utf8'), { columns: true, bom: true, trim: true }) as Record<string, string>[];",
          'const value = (name: string, text: string) => (kinds[name] === "number" ? Number(text) : kinds[name] === "boolean" ? text.toLowerCase() === "true" : text);',
          'const fits = (row: Record<string, string>) => Object.entries(input.where ?? {}).every(([name, wanted]) => value(name, row[name] ?? "") === wanted);',
          'const found = records.filter(fits);',
          'ctx.signal.throwIfAborted();',
          'return { rows: found.slice(0, input.limit), total: found.length };',
        ],
        decide: [
          `types, choices and ranges: inferred from ${rows.length} rows; later ones may differ`,
          'which columns may be shown',
        ],
        untrustedOutput: true,
      },
    ],
  });
}

function sampleOf(text: string, from: string): Record<string, string>[] {
  const cut = text.length > HEAD ? text.slice(0, text.lastIndexOf('\n', HEAD)) : text;
  let rows: Record<string, string>[];
  try {
    rows = parse(cut, { columns: true, bom: true, trim: true, to: SAMPLE, skip_empty_lines: true, max_record_size: HEAD });
  } catch (error) {
    throw new DraftError(
      `${from} is not CSV with a line of column names: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (rows.length === 0) throw new DraftError(`${from} has no rows below its line of column names.`);
  return rows;
}

function columnOf(values: string[]): { schema: JsonObject; kind: string } {
  const texts = values.filter((value) => value !== '');
  const all = (pattern: RegExp) => texts.length > 0 && texts.every((value) => pattern.test(value));
  if (all(/^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/)) {
    const numbers = texts.map(Number);
    const type = all(/^-?\d+$/) ? 'integer' : 'number';
    const range = `${Math.min(...numbers)} to ${Math.max(...numbers)}`;
    return { schema: { type, description: `In the sample: ${range}` }, kind: 'number' };
  }
  if (all(/^(true|false)$/i)) return { schema: { type: 'boolean' }, kind: 'boolean' };
  if (all(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/)) return { schema: { type: 'string', format: 'date' }, kind: 'text' };
  const different = [...new Set(texts)];
  // A choice only where values repeat: otherwise the column has names or keys.
  if (different.length > 0 && different.length <= CHOICES && texts.length >= 2 * different.length)
    return { schema: { enum: different }, kind: 'text' };
  return { schema: { type: 'string', maxLength: Math.max(200, ...texts.map((value) => value.length)) }, kind: 'text' };
}
