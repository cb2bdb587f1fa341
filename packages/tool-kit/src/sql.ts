/** Drafts tools from CREATE TABLE statements: find, get by key, insert. Queries take values as parameters; names are quoted. */
import { type CreateColumnDef, type CreateTableStatement, type DataTypeDef, type Expr, parse } from 'pgsql-ast-parser';
import { type Json, type JsonObject, setOwn } from 'holdfast/tools';
import { DraftError, literal, render, toolName, type DraftTool } from './source';

interface Column {
  name: string;
  schema: JsonObject;
  required: boolean;
  key: boolean;
}

const TEXT = 200_000;

/** @throws DraftError */
export function draftFromSql(text: string, from: string): string {
  if (text.length > TEXT)
    throw new DraftError(`${from} has ${text.length} characters; ${TEXT} are allowed: give only the CREATE TABLE statements.`);
  let tables: CreateTableStatement[];
  try {
    tables = parse(text).filter((statement) => statement.type === 'create table');
  } catch (error) {
    throw new DraftError(
      `${from} is not SQL that can be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    );
  }
  return render({
    from,
    imports: ["import { defineTool } from 'holdfast';"],
    head: [
      '/** What the tools need of a driver; a Pool of the package pg fits. */',
      'export interface Database {',
      '  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;',
      '}',
    ],
    factory: 'databaseTools(database: Database)',
    tools: tables.flatMap(toolsOf),
  });
}

function toolsOf(table: CreateTableStatement): DraftTool[] {
  const name = unescapeIdentifier(table.name.name);
  const schema = table.name.schema === undefined ? undefined : unescapeIdentifier(table.name.schema);
  const keys = (table.constraints ?? []).flatMap((each) =>
    each.type === 'primary key' ? each.columns.map((column) => unescapeIdentifier(column.name)) : [],
  );
  const columns = table.columns
    .filter((each): each is CreateColumnDef => each.kind === 'column')
    .map((each) => columnOf(each, keys));
  if (columns.length === 0) throw new DraftError(`Table ${JSON.stringify(name)} has no columns.`);
  const target = schema === undefined ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  const key = columns.filter((column) => column.key);
  return [find(name, target, columns, key), ...(key.length > 0 ? [get(name, target, key)] : []), insert(name, target, columns)];
}

function find(table: string, target: string, columns: Column[], key: Column[]): DraftTool {
  const order = key.length > 0 ? ` ORDER BY ${key.map((column) => quoteIdentifier(column.name)).join(', ')}` : '';
  const filters = record(columns, (column) => column.schema);
  const limit = { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'Rows at most' };
  return {
    name: toolName(`find_${table}`),
    class: 'read',
    classReason: 'a SELECT only reads',
    description: {
      does: `Finds rows of the table ${table} by equal values of its columns.`,
      returns: 'rows, each with every column.',
      useWhen: `Rows of ${table} are needed, and some of their values are known.`,
      dontUseFor: 'Changing anything, or searching inside texts.',
      example: '{"where": {}, "limit": 10}',
    },
    input: {
      type: 'object',
      properties: { where: { type: 'object', properties: filters, additionalProperties: false, default: {} }, limit },
      additionalProperties: false,
    },
    run: [
      `const columns: string[] = ${literal(columns.map((column) => column.name))};`,
      'const given = columns.filter((name) => input.where?.[name] !== undefined);',
      `const quoted = (name: string) => '"' + name.replace(/"/g, '""') + '"';`,
      `const where = given.map((name, index) => quoted(name) + ' = $' + (index + 1)).join(' AND ') || 'true';`,
      `const text = ${literal(`SELECT * FROM ${target} WHERE `)} + where + ${literal(`${order} LIMIT `)} + Number(input.limit);`,
      'const { rows } = await ctx.network(() => database.query(text, given.map((name) => input.where[name])));',
      'return { rows };',
    ],
    decide: ['which columns may be searched and shown'],
  };
}

function get(table: string, target: string, key: Column[]): DraftTool {
  const where = key.map((column, index) => `${quoteIdentifier(column.name)} = $${index + 1}`).join(' AND ');
  return {
    name: toolName(`get_${table}`),
    class: 'read',
    classReason: 'a SELECT only reads',
    description: {
      does: `Gets the one row of the table ${table} with this key.`,
      returns: 'row, or null when there is none.',
      useWhen: 'The key is known from an earlier result.',
      dontUseFor: 'Guessing keys.',
    },
    input: closedObject(
      record(key, (column) => column.schema),
      key.map((column) => column.name),
    ),
    run: [
      `const values = (${literal(key.map((column) => column.name))} as string[]).map((name) => input[name]);`,
      `const { rows } = await ctx.network(() => database.query(${literal(`SELECT * FROM ${target} WHERE ${where}`)}, values));`,
      'return { row: rows[0] ?? null };',
    ],
    decide: ['which columns may be shown'],
  };
}

function insert(table: string, target: string, columns: Column[]): DraftTool {
  return {
    name: toolName(`insert_${table}`),
    class: 'destructive',
    classReason: 'an INSERT repeated makes two rows; write, if a unique key makes a repetition harmless',
    description: {
      does: `Inserts one row into the table ${table}.`,
      returns: 'row, as it was stored.',
      useWhen: 'The user asked for a new row, and every value is known.',
      dontUseFor: 'Changing rows that exist.',
      warning: 'The row stays.',
    },
    input: closedObject(
      record(columns, (column) => column.schema),
      columns.filter((column) => column.required).map((column) => column.name),
    ),
    run: [
      `const columns: string[] = ${literal(columns.map((column) => column.name))};`,
      'const given = columns.filter((name) => input[name] !== undefined);',
      `const quoted = (name: string) => '"' + name.replace(/"/g, '""') + '"';`,
      `const values = given.length === 0 ? 'DEFAULT VALUES' : '(' + given.map(quoted).join(', ') + ') VALUES (' + given.map((_name, index) => '$' + (index + 1)).join(', ') + ')';`,
      `const text = ${literal(`INSERT INTO ${target} `)} + values + ' RETURNING *';`,
      'const { rows } = await ctx.network(() => database.query(text, given.map((name) => input[name])));',
      'return { row: rows[0] ?? null };',
    ],
    decide: ['which columns a model may set'],
  };
}

function closedObject(properties: JsonObject, required: string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function record(columns: Column[], value: (column: Column) => Json): JsonObject {
  const out: JsonObject = {};
  for (const column of columns) setOwn(out, column.name, value(column));
  return out;
}

function quoteIdentifier(name: string): string {
  return `"${name.replace(/"/g, '""')}"`;
}

/** Undoubles quotes: the parser does not unescape quoted names. */
function unescapeIdentifier(name: string): string {
  return name.replace(/""/g, '"');
}

const SERIAL = /^(small|big)?serial$/;

function columnOf(column: CreateColumnDef, keys: string[]): Column {
  const constraints = column.constraints ?? [];
  const name = unescapeIdentifier(column.name.name);
  const has = (type: string) => constraints.some((each) => each.type === type);
  const key = has('primary key') || keys.includes(name);
  const hasDefault = has('default') || has('add generated') || SERIAL.test(typeName(column.dataType));
  const choices = constraints.flatMap((each) => (each.type === 'check' ? (choicesOf(each.expr, name) ?? []) : []));
  const base = schemaOf(column.dataType);
  return { name, key, required: (key || has('not null')) && !hasDefault, schema: choices.length > 0 ? { enum: choices } : base };
}

function typeName(type: DataTypeDef): string {
  return 'name' in type ? type.name.toLowerCase() : '';
}

function schemaOf(type: DataTypeDef): JsonObject {
  if (type.kind === 'array') return { type: 'array', items: schemaOf(type.arrayOf), maxItems: 100 };
  const [length] = ('config' in type ? type.config : undefined) ?? [];
  const name = typeName(type);
  if (/^(int|int4|integer|serial)$/.test(name)) return { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
  if (/^(smallint|int2|smallserial)$/.test(name)) return { type: 'integer', minimum: -(2 ** 15), maximum: 2 ** 15 - 1 };
  // A double cannot hold them all exactly: as text.
  if (/^(bigint|int8|bigserial)$/.test(name)) return { type: 'string', pattern: '^-?[0-9]{1,19}$' };
  if (/^(numeric|decimal)$/.test(name)) return { type: 'string', pattern: '^-?[0-9]{1,40}(\\.[0-9]{1,40})?$' };
  if (/^(real|float|float4|float8|double precision)$/.test(name)) return { type: 'number' };
  if (/^bool(ean)?$/.test(name)) return { type: 'boolean' };
  if (name === 'date') return { type: 'string', format: 'date' };
  if (/^timestamp/.test(name)) return { type: 'string', format: 'date-time' };
  if (name === 'uuid') return { type: 'string', format: 'uuid' };
  if (/^jsonb?$/.test(name)) return { type: 'object', additionalProperties: true };
  return { type: 'string', maxLength: typeof length === 'number' && length > 0 ? length : 10_000 };
}

/** The list of `col IN ('a', 'b')`. */
function choicesOf(expr: Expr, column: string): Json[] | null {
  if (
    expr.type !== 'binary' ||
    expr.op !== 'IN' ||
    expr.left.type !== 'ref' ||
    unescapeIdentifier(expr.left.name) !== column ||
    expr.right.type !== 'list'
  )
    return null;
  const values = expr.right.expressions.map((each) => (each.type === 'string' || each.type === 'integer' ? each.value : null));
  return values.includes(null) ? null : (values as Json[]);
}
