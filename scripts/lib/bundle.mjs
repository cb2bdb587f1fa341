/** The workflow bundle, built ahead of time: a worker that has to build it starts seconds later. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * @param {string} compiled folder that holds workflows/index.js and data-converter.js
 * @returns {Promise<string>} the code
 */
export async function bundleWorkflows(compiled) {
  const require = createRequire(import.meta.url);
  const interceptors = join(compiled, 'workflows', 'interceptors.js');
  const converter = join(compiled, 'data-converter.js');
  const { dataConverter } = existsSync(converter) ? require(converter) : {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(compiled, 'workflows', 'index.js'),
    workflowInterceptorModules: existsSync(interceptors) ? [interceptors] : [],
    payloadConverterPath: dataConverter?.payloadConverterPath,
    failureConverterPath: dataConverter?.failureConverterPath,
    logger: new DefaultLogger('WARN'),
  });
  return code;
}
