/** Drafts tools from a TypeScript file's exported functions: parameter types and TSDoc. The file is parsed, not run. */
import type * as TS from 'typescript';
import { type JsonObject, setOwn } from 'holdfast/tools';
import { functionDoc, type FunctionDoc } from './doc-comment';
import { exportedFunctions, type ExportedFunction } from './exported-functions';
import { DraftError, literal, render, toolName, type DraftTool } from './source';
import { isObjectSchema, literalValue, TypeSchemas } from './type-schema';
import type { TypeScript } from './typescript';

const TEXT = 1_000_000;
const FUNCTIONS = 100;
/** Most open questions that are written into the draft of one tool. */
const QUESTIONS = 50;
/** Parameters of these types get a value from the engine, and never from the model. */
const ENGINE_PARAMETERS: Record<string, string> = { AbortSignal: 'ctx.signal', ToolContext: 'ctx', ToolLogger: 'ctx.log' };

export interface FunctionSource {
  text: string;
  /** The name of the file, for messages. */
  from: string;
  /** The path by which the drafted file imports it: `./weather.js`. */
  module: string;
  /** The one export to draft. Absent: all exported functions. */
  name?: string;
}

/** @throws DraftError */
export function draftFromFunctions(ts: TypeScript, source: FunctionSource): string {
  const { from } = source;
  if (source.text.length > TEXT) {
    throw new DraftError(`${from} has ${source.text.length} characters; ${TEXT} are allowed: give only the functions.`);
  }
  try {
    const tools = draftTools(ts, source);
    return render({
      from,
      imports: ["import { defineTool } from 'holdfast';", `import * as source from ${literal(source.module)};`],
      head: ['// decide: how the file above is imported here.'],
      tools,
    });
  } catch (error) {
    if (error instanceof RangeError) throw new DraftError(`${from} is nested too deep: give only the functions.`);
    throw error;
  }
}

function draftTools(ts: TypeScript, { text, from, name }: FunctionSource): DraftTool[] {
  const fileName = /\.[jt]sx$/.test(from) ? 'source.tsx' : 'source.ts';
  refuseFaults(ts, text, from, fileName);
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const functions = exportedFunctions(ts, source);
  const selection = name === undefined ? functions : functions.filter((each) => each.name === name);
  if (selection.length === 0) {
    const others = functions.map((each) => JSON.stringify(each.name)).slice(0, 20);
    const those = others.length > 0 ? `; it exports the functions ${others.join(', ')}` : '; it exports no function';
    throw new DraftError(`${from} has no exported function${name === undefined ? '' : ` ${JSON.stringify(name)}`}${those}.`);
  }
  if (selection.length > FUNCTIONS) {
    throw new DraftError(`${from} exports ${selection.length} functions; ${FUNCTIONS} are allowed: choose one with --name.`);
  }
  const types = new TypeSchemas(ts, source);
  return selection.map((each) => draftTool(ts, types, each, from));
}

/** Refuses a file that does not parse: its draft would only look complete. */
function refuseFaults(ts: TypeScript, text: string, from: string, fileName: string): void {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, fileName });
  const fault = diagnostics.find(({ category }) => category === ts.DiagnosticCategory.Error);
  if (!fault) return;
  const line = text.slice(0, fault.start ?? 0).split('\n').length;
  throw new DraftError(
    `${from} is not TypeScript that can be read: line ${line}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`,
  );
}

function draftTool(ts: TypeScript, types: TypeSchemas, { name, node }: ExportedFunction, from: string): DraftTool {
  types.open = [];
  const doc = functionDoc(ts, node);
  const call = `source${member(name)}`;
  const { input, values } = inputOf(ts, types, node, call);
  describe(input, '', doc.params);
  const open = types.open.slice(0, QUESTIONS);
  if (types.open.length > open.length) open.push(`${types.open.length - open.length} more types that no schema says`);
  return {
    name: toolName(name === 'default' ? from.replace(/\.\w+$/, '') : name),
    class: 'destructive',
    classReason:
      'nothing in a signature says what it changes, so a person approves each call; read or compute if it changes nothing',
    description: {
      does: doc.does === '' ? `Calls ${name}.` : doc.does,
      ...(doc.returns === '' ? {} : { returns: doc.returns }),
      ...(doc.example === '' ? {} : { example: doc.example }),
    },
    input,
    run: [`return ${call}(${values.join(', ')});`],
    decide: [...open, ...questions(doc, node)],
  };
}

function questions(doc: FunctionDoc, node: TS.SignatureDeclaration): string[] {
  const generator = 'asteriskToken' in node && node.asteriskToken !== undefined;
  return [
    'the description: when to use it, when not, one example as JSON',
    'limits of free texts, of numbers and of lists',
    'untrustedOutput: whether others than you wrote what it returns',
    ...(generator ? ['it is a generator: collect what it yields into one result'] : []),
    ...doc.throws.map((text) => `errors: throw a ToolError with the code that fits where it throws: ${text}`),
    ...(doc.deprecated ? ['the source calls it deprecated'] : []),
  ];
}

/** The input's schema, and the argument that the call passes for each parameter. */
function inputOf(
  ts: TypeScript,
  types: TypeSchemas,
  node: TS.SignatureDeclaration,
  call: string,
): { input: JsonObject; values: string[] } {
  const parameters = node.parameters.filter(({ name }) => name.getText() !== 'this');
  const isGiven = (parameter: TS.ParameterDeclaration) => engineValueOf(parameter) !== undefined;
  const properties: JsonObject = {};
  const required: string[] = [];
  let whole: JsonObject | undefined;
  const alone = parameters.filter((parameter) => !isGiven(parameter)).length === 1;
  const values = parameters.map((parameter, index) => {
    const engineValue = engineValueOf(parameter);
    if (engineValue !== undefined) return engineValue;
    const name = ts.isIdentifier(parameter.name) ? parameter.name.text : `input_${index + 1}`;
    const schema = schemaOfParameter(ts, types, parameter, name);
    // A single object is the input itself: the model need not wrap it.
    if (alone && isObjectSchema(schema) && !parameter.dotDotDotToken) {
      whole = withDefaults(ts, schema, parameter.name);
      return `input as Parameters<typeof ${call}>[${index}]`;
    }
    setOwn(properties, name, schema);
    const optional = parameter.questionToken ?? parameter.initializer ?? parameter.dotDotDotToken;
    if (!optional && !types.mayBeAbsent(parameter.type)) required.push(name);
    return parameter.dotDotDotToken ? `...(input${member(name)} ?? [])` : `input${member(name)}`;
  });
  return { input: whole ?? { type: 'object', properties, required, additionalProperties: false }, values };
}

function engineValueOf(parameter: TS.ParameterDeclaration): string | undefined {
  const type = parameter.type?.getText() ?? '';
  return Object.hasOwn(ENGINE_PARAMETERS, type) ? ENGINE_PARAMETERS[type] : undefined;
}

function schemaOfParameter(ts: TypeScript, types: TypeSchemas, parameter: TS.ParameterDeclaration, name: string): JsonObject {
  const value = parameter.initializer && literalValue(ts, parameter.initializer);
  if (value === undefined) return types.schemaOf(parameter.type, name);
  const infersType = parameter.type === undefined && value !== null;
  return { ...(infersType ? { type: typeof value } : types.schemaOf(parameter.type, name)), default: value };
}

/** Takes defaults from a destructuring pattern: in `({ city, days = 3 }: Query)` the default of `days` is 3. */
function withDefaults(ts: TypeScript, schema: JsonObject & { properties: JsonObject }, pattern: TS.BindingName): JsonObject {
  if (!ts.isObjectBindingPattern(pattern)) return schema;
  for (const { name, propertyName, initializer } of pattern.elements) {
    const property = (propertyName ?? name).getText();
    const value = initializer && literalValue(ts, initializer);
    const propertySchema = Object.hasOwn(schema.properties, property) ? schema.properties[property] : undefined;
    if (value !== undefined && propertySchema)
      setOwn(schema.properties, property, { ...(propertySchema as JsonObject), default: value });
  }
  return schema;
}

/** Writes `@param` texts into the properties that they describe, named as `options.city` or only `city`. */
function describe(schema: JsonObject, path: string, texts: Map<string, string>): void {
  if (!isObjectSchema(schema)) return;
  const textsByName = new Map([...texts].map(([name, text]) => [name.slice(name.indexOf('.') + 1), text]));
  for (const [name, property] of Object.entries(schema.properties)) {
    const at = path === '' ? name : `${path}.${name}`;
    const text = texts.get(at) ?? textsByName.get(at);
    if (text) setOwn(schema.properties, name, { ...(property as JsonObject), description: text });
    describe(property as JsonObject, at, texts);
  }
}

/** Code that accesses a member by any name; an unusual name becomes a string literal. */
function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${literal(name)}]`;
}
