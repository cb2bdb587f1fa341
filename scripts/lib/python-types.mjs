/**
 * Python's types for shapes of the OpenAPI document: a TypedDict for each object, so that what the gateway answers is a plain dict,
 * with the fields that docs/http.md names, and a type checker knows them. Knows the part of JSON Schema that the document uses;
 * what it does not know is `Any`.
 */

const PRIMITIVES = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };
const COLUMNS = 120;

export class PythonTypes {
  /** name → its definition, in the order in which each can be read */
  #definitions = new Map();
  /** A shape as Python → the name that has it: equal shapes are one type. */
  #names = new Map();
  #components;
  #rename;

  /**
   * @param document the OpenAPI document
   * @param {Record<string, string>} rename a better name for what would be called after its place, such as `TurnViewUsage`
   */
  constructor(document, rename = {}) {
    this.#components = document.components.schemas;
    this.#rename = rename;
  }

  /** Defines the type of a component, and all that it needs. */
  component(name) {
    if (this.#definitions.has(name)) return name;
    return this.define(name, this.#components[name]);
  }

  /** Defines a type of this name. */
  define(name, schema) {
    const type = this.type(schema, name);
    if (type !== name) this.#definitions.set(name, comment(schema) + wrapped(`${name}: TypeAlias = `, type));
    return name;
  }

  /** @param name what an object in it is called */
  type(schema, name) {
    const given = this.#rename[name] ?? name;
    if (schema.$ref) return this.component(schema.$ref.split('/').pop());
    if (schema.enum) return this.#literal(schema.enum, given, given !== name);
    if (schema.allOf) return this.type(merged(schema.allOf), name);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) {
      const several = choices.filter(({ properties }) => properties).length > 1;
      return union(choices.map((choice) => this.type(choice, several && choice.properties ? variantName(choice, given) : name)));
    }
    if (schema.properties) return this.#object(schema, given);
    if (schema.type === 'object') return 'dict[str, Any]';
    if (schema.type === 'array') return `list[${this.type(schema.items ?? {}, singular(name))}]`;
    const types = [schema.type ?? []].flat().map((type) => PRIMITIVES[type] ?? 'Any');
    return types.length === 0 ? 'Any' : union(types);
  }

  text() {
    return [...this.#definitions.values()].map((definition) => `\n\n${definition}\n`).join('');
  }

  #literal(values, name, isNamed) {
    const literal = `Literal[${values.map((value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value))).join(', ')}]`;
    if (isNamed && !this.#names.has(literal)) {
      this.#names.set(literal, name);
      this.#definitions.set(name, wrapped(`${name}: TypeAlias = `, literal));
    }
    return this.#names.get(literal) ?? literal;
  }

  #object({ properties, required = [], description }, name) {
    const fields = Object.entries(properties).map(([key, schema]) => {
      const type = this.type(schema, name + pascal(key));
      return { key, type: required.includes(key) ? type : `NotRequired[${type}]`, note: schema.description };
    });
    const body = fields.map(({ key, type }) => `${key}: ${type}`).join('\n');
    const same = this.#names.get(body);
    if (same !== undefined) return same;
    if (this.#definitions.has(name)) throw new Error(`Two shapes are called ${name}: rename one of them.`);
    this.#names.set(body, name);
    const write = fields.some(({ key }) => KEYWORDS.has(key)) ? functional : classOf;
    this.#definitions.set(name, write(name, fields, description));
    return name;
  }
}

/** Words of Python: a TypedDict with such a field cannot be written as a class. */
const KEYWORDS = new Set(['class', 'from', 'import', 'is', 'in', 'not', 'as', 'if', 'for', 'with', 'pass', 'return']);

/** Final, so that a type checker can tell the types of a union apart by a field that only one of them has. */
function classOf(name, fields, description) {
  const lines = fields.flatMap(({ key, type, note }) => [...notes(note, '    '), wrapped(`    ${key}: `, type)]);
  return ['@final', `class ${name}(TypedDict):`, ...(description ? [`    """${description}"""`, ''] : []), ...lines].join('\n');
}

function functional(name, fields) {
  const lines = fields.flatMap(({ key, type, note }) => [...notes(note, '        '), `${wrapped(`        "${key}": `, type)},`]);
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...lines, '    },', ')'].join('\n');
}

function comment({ description }) {
  return notes(description, '')
    .map((line) => `${line}\n`)
    .join('');
}

function notes(text, indent) {
  if (!text) return [];
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || indent.length + line.length + word.length + 3 > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `${indent}# ${line}`);
}

/** A type that is too long for a line goes over several, in brackets. */
function wrapped(start, type) {
  if (start.length + type.length <= COLUMNS) return `${start}${type}`;
  const indent = `${/^ */.exec(start)[0]}    `;
  const literal = /^(NotRequired\[)?Literal\[(.*?)\](\])?$/.exec(type);
  if (literal) {
    const [, before = '', values, after = ''] = literal;
    return `${start}${before}Literal[\n${values
      .split(', ')
      .map((value) => `${indent}${value},\n`)
      .join('')}${indent.slice(4)}]${after}`;
  }
  return `${start}(\n${type
    .split(' | ')
    .map((part, at) => `${indent}${at === 0 ? '' : '| '}${part}\n`)
    .join('')}${indent.slice(4)})`;
}

const union = (types) => [...new Set(types)].toSorted((a, b) => Number(a === 'None') - Number(b === 'None')).join(' | ');

/** The fields of all, in each of the variants that one of them has. */
function merged(parts) {
  const variants = parts.find(({ oneOf, anyOf }) => oneOf ?? anyOf);
  const rest = parts.filter((part) => part !== variants);
  const together = (schemas) => ({
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
    required: schemas.flatMap(({ required = [] }) => required),
  });
  return variants ? { oneOf: (variants.oneOf ?? variants.anyOf).map((variant) => together([variant, ...rest])) } : together(rest);
}

/** By the value that tells a variant apart (`TurnStarted` for the type `turn_started` of a `TurnEvent`), or else by its last required field. */
function variantName({ properties, required = [] }, name) {
  const values = (properties.type ?? properties.status)?.enum ?? [];
  const mark = pascal(values.length === 1 ? values[0] : (required.at(-1) ?? ''));
  return name.endsWith('Event') ? `${mark}Event` : name + mark;
}

const pascal = (text) => text.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());
const singular = (name) => name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
