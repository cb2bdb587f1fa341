/**
 * Writes src/http-client/schema.ts: the types of the HTTP API, generated from the gateway's own OpenAPI document.
 * Needs dist/ (`npm run build`). With --check it writes nothing, and fails where the file is not what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { formatted } from './lib/formatted.mjs';

const require = createRequire(import.meta.url);
const { gatewayApp } = require('../dist/gateway/app.js');
const target = new URL('../src/http-client/schema.ts', import.meta.url);
const HEAD = '/** The HTTP API, generated from its OpenAPI document by scripts/generate-http-client.mjs: not to be edited. */\n';

/** Nothing of it is asked: the document is made of what the routes declare. */
const parts = {
  store: { derivedKey: () => Buffer.alloc(32) },
  log: { debug() {}, info() {}, warn() {}, error: console.error },
  authenticator: { hint: '' },
};
const app = gatewayApp(parts);
const document = (await app.inject('/openapi.json')).json();
await app.close();
// The version changes with each release; the types do not.
const source = HEAD + astToString(await openapiTS(document));
const text = formatted(fileURLToPath(target), source);
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/http-client/schema.ts is not what the routes say; run: node scripts/generate-http-client.mjs');
  process.exitCode = 1;
}
