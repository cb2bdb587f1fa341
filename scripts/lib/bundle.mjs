/** The workflow bundle, built ahead of time: a worker that has to build it starts seconds later. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * @param {string} compiled folder that holds workflows/index.js and data-converter.js; its parent is the checkout
 * @param {{records?: boolean}} [options] records: with the module that tells `audit replay` what the workflows ask for
 * @returns {Promise<string>} the code, the same wherever the checkout lies
 */
export async function bundleWorkflows(compiled, { records = false } = {}) {
  const root = dirname(compiled);
  const require = createRequire(import.meta.url);
  const interceptors = [
    join(compiled, 'workflows', 'interceptors.js'),
    ...(records ? [join(compiled, 'audit', 'replay', 'recorder.js')] : []),
  ];
  const converter = join(compiled, 'data-converter.js');
  const { dataConverter } = existsSync(converter) ? require(converter) : {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(compiled, 'workflows', 'index.js'),
    workflowInterceptorModules: interceptors.filter((module) => existsSync(module)),
    payloadConverterPath: dataConverter?.payloadConverterPath,
    failureConverterPath: dataConverter?.failureConverterPath,
    logger: new DefaultLogger('WARN'),
    // Module names are relative to this, not to the folder that the command was typed in.
    webpackConfigHook: (config) => ({ ...config, context: root }),
  });
  return withoutPath(code, root + sep);
}

/** The source map names files by their whole path; the bundle is published, and this machine is nobody's business. */
function withoutPath(code, path) {
  const inJson = JSON.stringify(path).slice(1, -1);
  return code.replace(/(\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)(\S+)/g, (_all, head, map) => {
    const text = Buffer.from(map, 'base64').toString('utf8').replaceAll(inJson, '');
    return head + Buffer.from(text, 'utf8').toString('base64');
  });
}
