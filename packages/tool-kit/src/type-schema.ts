/**
 * Converts TypeScript types to JSON Schema, from the syntax of one file: it follows no import and runs nothing. A type that
 * no schema can express becomes a schema for any value, and a line in `open` for the person who reviews the draft.
 */
import type * as TS from 'typescript';
import { type Json, type JsonObject, setOwn } from 'holdfast/tools';
import { docOf } from './doc-comment';
import { DraftError } from './source';
import type { TypeScript } from './typescript';

/** Most types that one file may expand into: interfaces that refer to each other twice grow exponentially. */
const TYPES = 5000;
/** Types that JSON lacks: the schema of the text that replaces the value, and what `run` has to convert the text to. */
const JSON_FORMS: Record<string, { schema: JsonObject; as: string }> = {
  Date: { schema: { type: 'string', format: 'date-time' }, as: 'a Date' },
  URL: { schema: { type: 'string', format: 'uri', maxLength: 2000 }, as: 'a URL' },
  bigint: { schema: { type: 'string', pattern: '^-?[0-9]{1,78}$' }, as: 'a bigint' },
};

type Declaration = TS.InterfaceDeclaration | TS.TypeAliasDeclaration | TS.EnumDeclaration;

export class TypeSchemas {
  /** Open decisions for the draft's reviewer, one line each. */
  open: string[] = [];
  private readonly declarationsByName = new Map<string, Declaration[]>();
  private readonly unfolding = new Set<string>();
  private types = 0;

  constructor(
    private readonly ts: TypeScript,
    private readonly source: TS.SourceFile,
  ) {
    for (const each of source.statements) {
      if (!ts.isInterfaceDeclaration(each) && !ts.isTypeAliasDeclaration(each) && !ts.isEnumDeclaration(each)) continue;
      this.declarationsByName.set(each.name.text, [...(this.declarationsByName.get(each.name.text) ?? []), each]);
    }
  }

  /**
   * @param at path of the type, for messages: `options.city`
   * @throws DraftError when the types expand into more than 5000
   */
  schemaOf(type: TS.TypeNode | undefined, at: string): JsonObject {
    const { ts } = this;
    if (++this.types > TYPES)
      throw new DraftError(`The types unfold into more than ${TYPES}: give the function a smaller input.`);
    if (type === undefined) return this.anything(at, 'has no type');
    if (ts.isParenthesizedTypeNode(type)) return this.schemaOf(type.type, at);
    if (ts.isTypeOperatorNode(type) && type.operator === ts.SyntaxKind.ReadonlyKeyword) return this.schemaOf(type.type, at);
    if (ts.isUnionTypeNode(type)) return this.union(type, at);
    if (ts.isIntersectionTypeNode(type)) return this.mergeObjects(type.types, at);
    if (ts.isArrayTypeNode(type)) return { type: 'array', items: this.schemaOf(type.elementType, `${at}[]`) };
    if (ts.isTypeLiteralNode(type)) return this.object(type.members, at);
    if (ts.isTypeReferenceNode(type)) return this.reference(type.typeName, type, at);
    if (ts.isExpressionWithTypeArguments(type)) return this.reference(type.expression, type, at);
    if (ts.isLiteralTypeNode(type)) {
      const value = literalValue(ts, type.literal);
      return value === undefined ? this.anything(at, this.describeType(type)) : choice([value]);
    }
    if (type.kind === ts.SyntaxKind.BigIntKeyword) return this.jsonFormOf('bigint', at);
    return this.keyword(type) ?? this.anything(at, this.describeType(type));
  }

  /** Whether `undefined` is one of the type's cases: in JSON, such a property may be left out. */
  mayBeAbsent(type: TS.TypeNode | undefined): boolean {
    return type !== undefined && this.cases(type).some((each) => each.kind === this.ts.SyntaxKind.UndefinedKeyword);
  }

  private keyword(type: TS.TypeNode): JsonObject | undefined {
    const { SyntaxKind } = this.ts;
    if (type.kind === SyntaxKind.StringKeyword) return { type: 'string' };
    if (type.kind === SyntaxKind.NumberKeyword) return { type: 'number' };
    if (type.kind === SyntaxKind.BooleanKeyword) return { type: 'boolean' };
    return undefined;
  }

  private cases(type: TS.TypeNode): readonly TS.TypeNode[] {
    const { ts } = this;
    if (ts.isParenthesizedTypeNode(type)) return this.cases(type.type);
    return ts.isUnionTypeNode(type) ? type.types.flatMap((each) => this.cases(each)) : [type];
  }

  private union(type: TS.UnionTypeNode, at: string): JsonObject {
    const cases = this.cases(type).filter((each) => each.kind !== this.ts.SyntaxKind.UndefinedKeyword);
    const schemas = cases.map((each) => this.schemaOf(each, at));
    if (schemas.length === 0) return this.anything(at, this.describeType(type));
    const choices = schemas.flatMap((schema) => (Array.isArray(schema.enum) ? schema.enum : []));
    const others = schemas.filter((schema) => !Array.isArray(schema.enum));
    const [only] = others;
    if (others.length === 0) return choice([...new Set(choices)]);
    if (choices.length === 0 && others.length === 1) return only!;
    if (others.length === 1 && choices.every((value) => value === null) && typeof only!.type === 'string') {
      return { ...only, type: [only!.type, 'null'] };
    }
    return { anyOf: choices.length > 0 ? [...others, choice([...new Set(choices)])] : others };
  }

  private object(members: Iterable<TS.TypeElement>, at: string): JsonObject {
    const { ts } = this;
    const properties: JsonObject = {};
    const required: string[] = [];
    let additionalProperties: Json = false;
    for (const member of members) {
      if (ts.isIndexSignatureDeclaration(member)) {
        additionalProperties = this.schemaOf(member.type, `${at}[name]`);
        continue;
      }
      const name = this.nameOf(member.name);
      if (name === undefined) {
        this.open.push(`${at}: a member without a plain name was left out`);
        continue;
      }
      const type = ts.isPropertySignature(member) ? member.type : undefined;
      const schema = ts.isMethodSignature(member)
        ? this.anything(`${at}.${name}`, 'is a function')
        : this.schemaOf(type, `${at}.${name}`);
      const description = docOf(ts, member);
      setOwn(properties, name, description === '' ? schema : { ...schema, description });
      if (!member.questionToken && !this.mayBeAbsent(type)) required.push(name);
    }
    return { type: 'object', properties, required, additionalProperties };
  }

  /** Merges object types into one: those of an intersection, or an interface and the ones that it extends. */
  private mergeObjects(types: Iterable<TS.TypeNode>, at: string, own: JsonObject[] = []): JsonObject {
    const all = [...Array.from(types, (type) => this.schemaOf(type, at)), ...own];
    if (!all.every(isObjectSchema)) return this.anything(at, 'combines types that are no objects');
    const properties: JsonObject = {};
    for (const each of all) for (const [name, schema] of Object.entries(each.properties)) setOwn(properties, name, schema);
    const required = [...new Set(all.flatMap((each) => each.required))];
    const additionalProperties = all.map((each) => each.additionalProperties).find((extra) => extra !== false) ?? false;
    return { type: 'object', properties, required, additionalProperties };
  }

  private reference(nameNode: TS.Node, type: TS.NodeWithTypeArguments, at: string): JsonObject {
    const name = nameNode.getText(this.source);
    const declarations = this.declarationsByName.get(name);
    if (declarations) return this.declaration(name, declarations, type, at);
    const [first, second] = type.typeArguments ?? [];
    if ((name === 'Array' || name === 'ReadonlyArray') && first) return { type: 'array', items: this.schemaOf(first, `${at}[]`) };
    if (name === 'Readonly' && first) return this.schemaOf(first, at);
    if (name === 'Partial' && first) {
      const whole = this.schemaOf(first, at);
      return isObjectSchema(whole) ? { ...whole, required: [] } : whole;
    }
    if (name === 'Record' && first && second) return this.record(first, second, at);
    return Object.hasOwn(JSON_FORMS, name)
      ? this.jsonFormOf(name, at)
      : this.anything(at, `${this.describeType(type)}, which is not declared in this file`);
  }

  private record(keys: TS.TypeNode, value: TS.TypeNode, at: string): JsonObject {
    const { enum: names } = this.schemaOf(keys, at);
    if (!Array.isArray(names)) return { type: 'object', additionalProperties: this.schemaOf(value, `${at}[name]`) };
    const properties: JsonObject = {};
    for (const name of names.map(String)) setOwn(properties, name, this.schemaOf(value, `${at}.${name}`));
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  }

  private declaration(name: string, declarations: Declaration[], type: TS.NodeWithTypeArguments, at: string): JsonObject {
    const { ts } = this;
    if (this.unfolding.has(name)) return this.anything(at, `${name}, which holds itself`);
    if (type.typeArguments) return this.anything(at, `${this.describeType(type)}, which is generic`);
    this.unfolding.add(name);
    try {
      const [first] = declarations;
      if (ts.isTypeAliasDeclaration(first!)) return this.schemaOf(first.type, at);
      if (ts.isEnumDeclaration(first!)) return this.choices(first, at);
      const interfaces = declarations.filter((each) => ts.isInterfaceDeclaration(each));
      const bases = interfaces.flatMap((each) => each.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
      const own = interfaces.map((each) => this.object(each.members, at));
      return this.mergeObjects(bases, at, own);
    } finally {
      this.unfolding.delete(name);
    }
  }

  private choices(declaration: TS.EnumDeclaration, at: string): JsonObject {
    let next: Json | undefined = 0;
    const values = declaration.members.map((member) => {
      const value: Json | undefined = member.initializer ? literalValue(this.ts, member.initializer) : next;
      next = typeof value === 'number' ? value + 1 : undefined;
      return value;
    });
    const constantValues = values.filter((value) => value !== undefined);
    return constantValues.length === values.length && constantValues.length > 0
      ? choice(constantValues)
      : this.anything(at, 'is an enum that is computed');
  }

  private jsonFormOf(name: string, at: string): JsonObject {
    const { schema, as } = JSON_FORMS[name]!;
    this.open.push(`${at}: the function takes ${as}, JSON carries a text: convert it in run`);
    return { ...schema };
  }

  private anything(at: string, why: string): JsonObject {
    this.open.push(`${at}: ${why}: no schema says that; write one, or leave it out`);
    return {};
  }

  private describeType(type: TS.TypeNode): string {
    return `is ${type.getText(this.source).slice(0, 100)}`;
  }

  private nameOf(name: TS.PropertyName | undefined): string | undefined {
    const { ts } = this;
    const plain = name && (ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name));
    return plain ? name.text : undefined;
  }
}

type ObjectSchema = { type: 'object'; properties: JsonObject; required: string[]; additionalProperties: Json };

/** True for a schema that lists properties; false for a map, and for a schema that allows any value. */
export function isObjectSchema(schema: JsonObject): schema is ObjectSchema {
  return schema.type === 'object' && schema.properties !== undefined;
}

/** The value of a literal in the source; undefined when the value has to be computed. */
export function literalValue(ts: TypeScript, node: TS.Node): Json | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return finite(Number(node.text));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  const negative = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken;
  return negative && ts.isNumericLiteral(node.operand) ? finite(-Number(node.operand.text)) : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function choice(values: Json[]): JsonObject {
  return values.every((value) => typeof value === 'string') ? { type: 'string', enum: values } : { enum: values };
}
