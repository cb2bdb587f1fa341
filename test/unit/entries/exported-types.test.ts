/** Whoever calls `createWorker`, or writes one of the parts that it takes, can name their types: the entry exports them. */
import { existsSync, readFileSync } from 'node:fs';
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

/** Null: of a package. */
function fileOf(from: string, specifier: ts.Expression): string | null {
  const { text } = specifier as ts.StringLiteral;
  if (!text.startsWith('.')) return null;
  const path = join(dirname(from), text);
  return [`${path}.ts`, join(path, 'index.ts')].find((file) => existsSync(file))!;
}

/** Where a name of a file is declared; null: in a package, or by the language. */
function declared({ file, name }: Place): (Place & { node: ts.Node }) | null {
  for (const statement of sourceOf(file).statements) {
    const isDeclaration = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement); // oxfmt-ignore
    if (isDeclaration && statement.name?.text === name) return { file, name, node: statement };
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

/** Every name that a file exports, by where it is declared. */
function exported(file: string): Set<string> {
  const all = new Set<string>();
  for (const statement of sourceOf(file).statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const from = fileOf(file, statement.moduleSpecifier!)!;
    if (!statement.exportClause) for (const each of exported(from)) all.add(each);
    else if (ts.isNamedExports(statement.exportClause))
      for (const element of statement.exportClause.elements) {
        const place = declared({ file: from, name: (element.propertyName ?? element.name).text });
        if (place) all.add(labelOf(place));
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
      if (place) found.push(place);
    }
    ts.forEachChild(part, visit);
  };
  visit(node);
  return found;
}

/** Nobody writes one: `openStore`, `defineApp`, `HoldfastClient.connect` and `loadConfig` make them. */
const MADE_BY_US = ['store/store.ts: Store', 'agents/define.ts: App', 'client.ts: HoldfastClient', 'config.ts: Config'];

it.each([
  { entry: 'worker', file: 'worker.ts', name: 'WorkerParts', takes: 'telemetry/tool-metrics.ts: ToolMetrics' },
  { entry: 'gateway', file: 'gateway/route.ts', name: 'GatewayParts', takes: 'gateway/auth/principals.ts: Authenticator' },
  { entry: 'client', file: 'client.ts', name: 'ClientSettings', takes: 'live/bus.ts: LiveBus' },
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
