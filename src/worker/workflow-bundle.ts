/**
 * Provides the code of the workflows for a worker. It is built ahead of time into dist/, since that takes seconds; in a checkout
 * where nothing has been built, it is built when a worker starts.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { sha256Hex } from '../shared/json/sha256';

/** `src` or `dist`. */
const FOLDER = dirname(__dirname);

/**
 * The bundle that was built ahead of time: beside this module in the package, in dist/ for a checkout. @throws Error if there is
 * none
 */
export function workflowBundlePath(): string {
  const path = builtPath();
  if (path === undefined) throw new Error('The workflow bundle has not been built. Run `npm run setup`.');
  return path;
}

function builtPath(): string | undefined {
  return [FOLDER, join(dirname(FOLDER), 'dist')]
    .map((folder) => join(folder, 'workflow-bundle.js'))
    .find((path) => existsSync(path));
}

export interface WorkflowBundle {
  option: WorkflowBundleOption;
  /** SHA-256 of the code, for the record. */
  hash: string;
}

let bundle: Promise<WorkflowBundle> | undefined;

/**
 * Read, or built, once per process.
 * @param options.stacks the SDK takes a stack trace of each promise of workflow code (workflows/sandbox/bundle-flags.ts)
 * @param options.encrypts the texts of failures become payloads (workflows/sandbox/bundle-flags.ts)
 */
export async function workflowBundle({ stacks = false, encrypts = false } = {}): Promise<WorkflowBundle> {
  const { option, hash } = await (bundle ??= readOrBuild());
  const flags = [...(stacks ? ['holdfastWorkflowStacks'] : []), ...(encrypts ? ['holdfastEncryption'] : [])];
  if (flags.length === 0) return { option, hash };
  const code = 'code' in option ? option.code : await readFile(option.codePath, 'utf8');
  return { option: { code: `${flags.map((flag) => `globalThis.${flag} = true; `).join('')}${code}` }, hash };
}

async function readOrBuild(): Promise<WorkflowBundle> {
  const codePath = builtPath();
  const code = codePath === undefined ? await bundleWorkflows(FOLDER) : await readFile(codePath, 'utf8');
  const hash = sha256Hex(code);
  return { option: codePath === undefined ? { code } : { codePath }, hash };
}

/**
 * @param folder holds workflows/index and data-converter, compiled or not; its parent is the checkout
 * @param options.records adds the module that records for `audit replay` what the workflows ask for
 * @returns the code, the same wherever the checkout lies
 */
export async function bundleWorkflows(folder: string, { records = false } = {}): Promise<string> {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const root = dirname(folder);
  const module = (...names: string[]) => join(folder, ...names) + extname(__filename);
  const workflowsPath = module('workflows', 'index');
  const workflowInterceptorModules = [
    module('workflows', 'sandbox', 'interceptors'),
    ...(records ? [module('audit', 'replay', 'recorder')] : []),
  ];
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    // Evaluated once a worker, not once a workflow: no module of ours has state of its own (sandbox/signals.ts).
    preloadModules: [module('workflows', 'sandbox', 'preload'), workflowsPath, ...workflowInterceptorModules],
    failureConverterPath: module('workflows', 'sandbox', 'bundle-flags'),
    logger: new DefaultLogger('WARN'),
    // Module names are relative to this, not to the current directory.
    webpackConfigHook: (config) => ({ ...config, context: root }),
  });
  return withoutPath(code, root + sep);
}

/** The source map names files by their whole path; the bundle is published, and must not show paths of this machine. */
function withoutPath(code: string, path: string): string {
  const inJson = JSON.stringify(path).slice(1, -1);
  return code.replace(
    /(\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)(\S+)/g,
    (_all, head: string, map: string) => {
      const text = Buffer.from(map, 'base64').toString('utf8').replaceAll(inJson, '');
      return head + Buffer.from(text, 'utf8').toString('base64');
    },
  );
}
