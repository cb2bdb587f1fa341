/**
 * Builds `packages/verify/dist`: the verifier and all code that it needs in one file, its declarations, the page of the format, and
 * the licences of the packages in that file. esbuild follows the imports of the entry, so no list of files has to be kept.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const PACKAGE = 'packages/verify';
const ENTRY = `${PACKAGE}/src/index.ts`;

/** What a build depends on, besides `src` and the lock file. */
export const VERIFY_INPUTS = [
  `${PACKAGE}/src`,
  `${PACKAGE}/package.json`,
  'scripts/lib/verify-package.mjs',
  'docs/bundle-format.md',
];

/** Does nothing if the folder has no such package. */
export async function buildVerify(root) {
  if (!existsSync(join(root, ENTRY))) return;
  const dist = join(root, PACKAGE, 'dist');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const packages = await bundle(root, join(dist, 'index.js'));
  await declare(root, join(dist, 'types'));
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(root, packages));
  copyFileSync(join(root, 'docs', 'bundle-format.md'), join(dist, 'bundle-format.md'));
}

/** @returns {Promise<Map<string, string[]>>} package name → those files of the package that are in the bundled file */
async function bundle(root, outfile) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.3',
    // ES modules first: esbuild takes only the used parts of them.
    mainFields: ['module', 'main'],
    // Auditors read the file: names and lines stay.
    minify: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const packages = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    if (name && bytesInOutput > 0) packages.set(name, [...(packages.get(name) ?? []), path]);
  }
  return packages;
}

/** Writes declarations of the entry and of all files whose types it names, each at its place below the root. */
async function declare(root, into) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const files = new Set([resolve(root, ENTRY)]);
  for (const file of files) {
    const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
      fileName: file,
      compilerOptions: { ...options, declarationMap: false, sourceMap: false },
    });
    const target = join(into, relative(root, file).replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
    for (const [, name] of outputText.matchAll(/\bfrom '(\.[^']+)'/g)) files.add(sourceOf(resolve(dirname(file), name)));
  }
}

function sourceOf(path) {
  return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
}

/** The licence file of each package, and notices of copyright at the head of its files. */
function licences(root, packages) {
  const texts = [...packages].sort().map(([name, paths]) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    const heads = paths.map((path) =>
      /^(?:\/\/.*\n)*/.exec(readFileSync(join(root, path), 'utf8'))[0].replaceAll(/^\/\/ ?/gm, ''),
    );
    const notices = heads.filter((head) => head.includes('Copyright'));
    const all = new Set(
      [...files.map((file) => readFileSync(join(folder, file), 'utf8')), ...notices].map((text) => text.trim()),
    );
    return [`${name} ${version}: ${license}`, ...all].join('\n\n');
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return ['Packages that are part of index.js. The text of Apache-2.0 is in LICENSE.', ...texts].join(rule).concat('\n');
}
