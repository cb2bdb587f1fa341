/**
 * A user who calls an export of an entry, or writes a part for it, can name the types and catch the errors: the entry exports
 * them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const SRC = join(__dirname, '../../../src');

interface Place {
  file: string;
  name: string;
}

const sources = new Map<string, ts.SourceFile>();
function sourceOf(file: string): ts.SourceFile {
  const known = sources.get(file) ?? ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  sources.set(file, known);
  return known;
}

/** Null: a name of a package. */
function fileOf(from: string, specifier: ts.Expression): string | null {
  const { text } = specifier as ts.StringLiteral;
  if (!text.startsWith('.')) return null;
  const path = join(dirname(from), text);
  return [`${path}.ts`, join(path, 'index.ts')].find((file) => existsSync(file))!;
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.FunctionDeclaration;

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node)
  );
}

function isExported(node: ts.Node): boolean {
  return (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Export) !== 0;
}

/** Where a name of a file is declared; null: in a package, or by the language. */
function declared({ file, name }: Place): (Place & { node: ts.Node }) | null {
  for (const statement of sourceOf(file).statements) {
    if (isDeclaration(statement) && statement.name?.text === name) return { file, name, node: statement };
    const named =
      ts.isImportDeclaration(statement) && statement.importClause?.namedBindings
        ? statement.importClause.namedBindings
        : ts.isExportDeclaration(statement) && statement.moduleSpecifier
          ? statement.exportClause
          : undefined;
    if (!named || !(ts.isNamedImports(named) || ts.isNamedExports(named))) continue;
    const found = [...named.elements].find((element) => element.name.text === name);
    if (!found) continue;
    const from = fileOf(file, (statement as ts.ImportDeclaration).moduleSpecifier);
    return from === null ? null : declared({ file: from, name: (found.propertyName ?? found.name).text });
  }
  return null;
}

/** Every declaration that a file exports, by its label. */
function exported(file: string): Map<string, Place & { node: ts.Node }> {
  const all = new Map<string, Place & { node: ts.Node }>();
  for (const statement of sourceOf(file).statements) {
    if (isDeclaration(statement) && isExported(statement)) {
      const place = { file, name: statement.name!.text };
      all.set(labelOf(place), { ...place, node: statement });
    }
    if (!ts.isExportDeclaration(statement)) continue;
    const from = fileOf(file, statement.moduleSpecifier!)!;
    if (!statement.exportClause) for (const [label, place] of exported(from)) all.set(label, place);
    else if (ts.isNamedExports(statement.exportClause))
      for (const element of statement.exportClause.elements) {
        const place = declared({ file: from, name: (element.propertyName ?? element.name).text });
        if (place) all.set(labelOf(place), place);
      }
  }
  return all;
}

const labelOf = ({ file, name }: Place) => `${relative(SRC, file)}: ${name}`;

/** The types that a declaration names and that are ours. */
function namedBy({ file, node }: Place & { node: ts.Node }): (Place & { node: ts.Node })[] {
  const found: (Place & { node: ts.Node })[] = [];
  const visit = (part: ts.Node): void => {
    const name = ts.isTypeReferenceNode(part) ? part.typeName : ts.isExpressionWithTypeArguments(part) ? part.expression : null;
    if (name && ts.isIdentifier(name)) {
      const place = declared({ file, name: name.text });
      // What a file keeps to itself is an abbreviation: callers write what it stands for.
      if (place) found.push(...(isExported(place.node) ? [place] : namedBy(place)));
    }
    ts.forEachChild(part, visit);
  };
  visit(node);
  return found;
}

/** Users do not create these: `openStore`, `defineApp`, `HoldfastClient.connect` and `loadConfig` do. */
const MADE_BY_US = [
  'store/store.ts: Store',
  'agents/define.ts: App',
  'client/holdfast-client.ts: HoldfastClient',
  'config.ts: Config',
];

it.each([
  { entry: 'worker', file: 'worker.ts', name: 'WorkerParts', takes: 'telemetry/tool-metrics.ts: ToolMetrics' },
  { entry: 'gateway', file: 'gateway/route.ts', name: 'GatewayParts', takes: 'gateway/auth/principals.ts: Authenticator' },
  { entry: 'client', file: 'client/holdfast-client.ts', name: 'ClientSettings', takes: 'live/bus.ts: LiveBus' },
  { entry: 'models', file: 'model/provider.ts', name: 'ModelProvider', takes: 'model/provider.ts: ModelRequest' },
])(
  'holdfast/$entry exports the types of all that $name has, and those that a part of one’s own is written with',
  ({ entry, file, name, takes }) => {
    const taken = declared({ file: join(SRC, file), name })!;
    const parts = namedBy(taken);
    const own = parts.filter((part) => ts.isInterfaceDeclaration(part.node) && !MADE_BY_US.includes(labelOf(part)));
    const wanted = [taken, ...parts, ...own.flatMap(namedBy)].map(labelOf);
    const names = exported(join(SRC, `entries/${entry}.ts`));
    expect([...new Set(wanted)].filter((label) => !names.has(label))).toEqual([]);
    expect(parts.map(labelOf)).toContain(takes);
  },
);

/** Users do not call their constructors. */
const MADE_BY_CLIENT = ['TurnHandle', 'SessionHandle', 'CallHandle', 'NoWorker'];

/** The visible part of a function, or of a class's public methods: everything except bodies and private members. */
function signatures(node: ts.Node): ts.Node[] {
  if (ts.isFunctionDeclaration(node)) return [...node.parameters, ...(node.type ? [node.type] : [])];
  if (!ts.isClassDeclaration(node)) return [];
  const { members, name } = node;
  return members.flatMap((member) => {
    if (ts.isConstructorDeclaration(member) && MADE_BY_CLIENT.includes(name!.text)) return [];
    const flags = ts.getCombinedModifierFlags(member);
    if (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return [];
    if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) || ts.isAccessor(member))
      return [...member.parameters, ...(member.type ? [member.type] : [])];
    return ts.isPropertyDeclaration(member) && member.type ? [member.type] : [];
  });
}

/** All error classes of the source, by name. */
const errors = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(/^export class (\w+) extends \w*(?:Error|Refusal)\b/gm)].map(
        ([, name]): [string, string] => [name!, `${file}: ${name!}`],
      ),
    ),
);

/** The error classes that `@throws` of a function or of a public method names. */
function documentedErrors(node: ts.Node): string[] {
  const members: readonly ts.Node[] = ts.isClassDeclaration(node) ? node.members : [node];
  return members
    .filter((member) => !(ts.getCombinedModifierFlags(member as ts.Declaration) & ts.ModifierFlags.Private))
    .flatMap((member) => ts.getJSDocTags(member).filter(({ tagName }) => tagName.text === 'throws'))
    .flatMap((tag) => tag.getText().match(/\b[A-Z]\w+/g) ?? [])
    .flatMap((name) => errors.get(name) ?? []);
}

const ENTRIES = [
  ...['app', 'client', 'gateway', 'models', 'tools', 'worker'].map((entry) => `entries/${entry}.ts`),
  'testing/index.ts',
  'http-client/index.ts',
  'index.ts',
];

it.each(ENTRIES)(
  '%s exports the types of all that its functions and methods take and return, and the errors that they throw',
  (entry) => {
    const names = exported(join(SRC, entry));
    const missing = [...names.values()].flatMap(({ file, name, node }) => {
      const wanted = [
        ...signatures(node).flatMap((part) => namedBy({ file, name, node: part }).map(labelOf)),
        ...documentedErrors(node),
      ];
      return wanted.filter((label) => !names.has(label)).map((label) => `${name} needs ${label}`);
    });
    expect([...new Set(missing)]).toEqual([]);
  },
);
