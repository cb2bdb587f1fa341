/** What audit code can reach, by the modules that its compiled files require: no tool, no model, no agent, no worker. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const DIST = join(__dirname, '../../../dist');
/** Rooms and files of dist that audit code must not reach. */
const FORBIDDEN = /^(?:mcp|model|agents|tools|activities|worker|gateway|client|testing|notify)(?:\/|\.js$)|^worker-process\.js$/;
const FORBIDDEN_PACKAGES = /^(?:@holdfast\/|@anthropic-ai\/|@modelcontextprotocol\/|nodemailer|viem|openai|fastify)/;
/** What makes bundles reads a server; what reads bundles has none. */
const MAKES_BUNDLES = ['export', 'history.js', 'archive'];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));

/** Compiled code requires by literal names only; `import()` and optional packages too. */
function required(file: string): string[] {
  return [
    ...readFileSync(file, 'utf8').matchAll(
      /\b(?:require\(|import\(|(?:optionalPackage|findPackage|checkPackage)\)\()\s*['"]([^'"]+)['"]/g,
    ),
  ].map((match) => match[1]!);
}

function resolved(from: string, name: string): string {
  const path = join(dirname(from), name);
  const found = [path, `${path}.js`, join(path, 'index.js')].find((one) => existsSync(one) && statSync(one).isFile());
  if (!found) throw new Error(`${from} requires ${name}, which is not there`);
  return found;
}

/** Everything that these files reach; packages by name. */
function reached(files: string[]): { modules: string[]; packages: string[] } {
  const seen = new Set(files);
  const packages = new Set<string>();
  for (const file of seen) {
    for (const name of required(file)) {
      if (name.startsWith('.')) seen.add(resolved(file, name));
      else packages.add(name);
    }
  }
  const modules = [...seen].map((file) => relative(DIST, file).split(sep).join('/'));
  return { modules, packages: [...packages] };
}

describe('the module graph of audit', () => {
  it('sees calls of `require`, so that the next tests cannot pass on an empty graph', () => {
    const { modules } = reached([join(DIST, 'worker.js')]);
    expect(modules.filter((name) => FORBIDDEN.test(name)).length).toBeGreaterThan(50);
  });

  it('reaches no tool, model, agent or worker, from any of its files', () => {
    const { modules, packages } = reached(filesIn(join(DIST, 'audit')));
    expect(modules.filter((name) => FORBIDDEN.test(name))).toEqual([]);
    expect(packages.filter((name) => FORBIDDEN_PACKAGES.test(name))).toEqual([]);
  });

  it('reaches no server, from any file that reads a bundle', () => {
    const files = filesIn(join(DIST, 'audit')).filter(
      (file) => !MAKES_BUNDLES.includes(relative(join(DIST, 'audit'), file).split(sep)[0]!),
    );
    expect(files.length).toBeGreaterThan(20);
    const { packages } = reached(files);
    expect(packages.filter((name) => /^@temporalio\/client/.test(name))).toEqual([]);
  });

  it('is smaller still in the process that replays: shared, the data converter, histories as JSON, and itself', () => {
    const { modules, packages } = reached([join(DIST, 'audit', 'replay', 'child.js')]);
    expect(
      modules.filter(
        (name) => !/^(?:shared|audit\/replay)\/|^temporal\/(?:data-converter|history\/history-json)\.js$/.test(name),
      ),
    ).toEqual([]);
    const ours = packages.filter((name) => !name.startsWith('node:')).sort();
    expect(ours).toEqual(['@temporalio/proto', '@temporalio/proto/lib/patch-protobuf-root', '@temporalio/worker']);
    expect(packages.filter((name) => /^(?:node:)?(?:child_process|net|http|https|dgram|tls|http2)$/.test(name))).toEqual([]);
  });
});
