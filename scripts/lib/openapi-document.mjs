/** The gateway's OpenAPI document, without a build and without a server. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export async function openApiDocument() {
  // Loaded only here: most runs of the programs that call this have nothing to generate.
  const { register } = await import('tsx/cjs/api');
  register();
  const { gatewayApp } = require('../../src/gateway/app.ts');
  /** Stubs: the document is made only from the declarations of the routes. */
  const parts = {
    store: { derivedKey: () => Buffer.alloc(32) },
    log: { debug() {}, info() {}, warn() {}, error: console.error },
    authenticator: { hint: '' },
  };
  const app = gatewayApp(parts);
  const document = (await app.inject('/openapi.json')).json();
  await app.close();
  return document;
}
