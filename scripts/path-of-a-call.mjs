/**
 * Counts the source files that one destructive call crosses at run time: from a request to the gateway, through the turn, the
 * question and a signed approval over HTTP, to the run, the effect record and the result. Gateway, worker and store are in one
 * process; V8 reports which functions run during the second of two calls.
 *
 * `node scripts/path-of-a-call.mjs [--list] [--json] [--direct]`: `--list` names the files, the longest first; `--direct` takes
 * POST /tools/pay instead of POST /v1/turns, so no model. It needs dist/ (`npm run build`) and a Temporal CLI. The top
 * level of modules, periodic timers, getters of re-exports, and src/devserver do not count.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const BUNDLE = join(DIST, 'workflow-bundle.js');
const require = createRequire(import.meta.url);
const load = (path) => require(join(DIST, path));
const has = (flag) => process.argv.includes(flag);
const log = { debug() {}, info() {}, warn() {}, error: (facts, message) => console.error(message, facts) };

/** Periodic work, such as the search for idle MCP sessions: it is stopped before the call is counted. */
const timers = [];
const { setInterval } = globalThis;
globalThis.setInterval = (...args) => timers[timers.push(setInterval(...args)) - 1];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-path-'));
try {
  const { path: cli } = await load('devserver/find-cli').findTemporalCli();
  const server = await load('devserver/dev-server').startDevServer({ cli, port: 0, headless: true });
  const counted = withGateway(server.address, (send) => filesThatRan(() => runCall(send)));
  report(await counted.finally(() => server.stop()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A gateway and a worker as users run them, in which only signed decisions count. */
async function withGateway(address, body) {
  const { DefaultLogger, NativeConnection, Runtime } = require('@temporalio/worker');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const tokens = { starter: randomBytes(32).toString('hex'), approver: randomBytes(32).toString('hex') };
  const hash = (token) => createHash('sha256').update(token).digest('hex');
  const people = Object.entries(tokens).map(([role, token]) => ({ principal: role, roles: [role], token_sha256: hash(token) }));
  const env = { HOLDFAST_HOME: folder, TEMPORAL_ADDRESS: address, HOLDFAST_TOKENS: JSON.stringify(people) };
  const config = () => load('config').loadConfig(env);
  const { app, model } = payer();
  const { gatewayParts, serveGateway } = load('gateway/serve');
  const connect = () => load('client').HoldfastClient.connect(config());
  const parts = await gatewayParts(config(), { log, app: async () => app, connect });
  const connection = await NativeConnection.connect({ address });
  const worker = await load('worker').createWorker({
    ...{ app, model, defaultModel: 'scripted', log, connection, address, namespace: 'default', taskQueue: config().taskQueue },
    ...{ store: parts.store, approvals: 'attested' },
    trust: new (load('attestation/file-trust').FileTrust)({ path: config().trustedKeys, namespace: 'default', log }),
    // Debug mode: workflow code runs in this thread, where its functions are counted.
    options: { debugMode: true, shutdownGraceTime: '1 second' },
  });
  const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0, drainMs: 1000 });
  const send = async (role, path, content) => {
    const headers = { authorization: `Bearer ${tokens[role]}`, 'content-type': 'application/json' };
    const post = content && { method: 'POST', body: JSON.stringify(content) };
    const response = await fetch(gateway.url + path, { headers, ...post });
    if (!response.ok) throw new Error(`${path} was answered by ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const close = () => gateway.close().then(() => parts.close());
  return worker.runUntil(() => body(send).finally(close)).finally(() => connection.close());
}

/** An agent with a destructive tool, and a model that asks for one call of it and then ends the turn. */
function payer() {
  const { defineAgent, defineApp } = load('agents/define');
  const input = require('zod').object({ cents: require('zod').number() });
  const about = { name: 'pay', version: '1.0.0', class: 'destructive', description: 'Pays one invoice.' };
  const pay = load('tools/define/define').defineTool({ ...about, input, run: async () => ({ paid: true }) });
  const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 };
  const common = { id: 'msg_1', requestId: null, model: 'scripted', usage };
  const content = [{ type: 'tool_use', id: 'use_1', name: 'pay', input: { cents: 700 } }];
  const asks = { ...common, stopReason: 'tool_use', content, rawToolInputs: [{ block: 0, json: '{"cents":700}' }] };
  const ends = { ...common, stopReason: 'end_turn', content: [{ type: 'text', text: 'Paid.' }], rawToolInputs: [] };
  const model = { name: 'scripted', request: async ({ messages }) => (messages.length === 1 ? asks : ends) };
  return { app: defineApp({ agents: [defineAgent({ name: 'payer', prompt: 'Pay.', tools: [pay] })] }), model };
}

async function runCall(send) {
  const turn = ['/v1/turns', { agent: 'payer', message: 'Pay.' }];
  const { turn_id, call_id } = await send('starter', ...(has('--direct') ? ['/tools/pay', { input: { cents: 700 } }] : turn));
  const url = `/v1/turns/${encodeURIComponent(turn_id ?? call_id)}`;
  const viewOnce = async (fits) => {
    for (let looks = 0; looks < 300; looks++, await sleep(100)) {
      const view = await send('starter', url);
      if (fits(view)) return view;
    }
    throw new Error(`${url} does not come to its end.`);
  };
  const { pending } = await viewOnce((view) => view.pending.length > 0);
  await send('approver', `${url}/decisions`, { decision: 'approve', call: pending[0] });
  const { calls } = await viewOnce((view) => view.ended_at !== null);
  if (calls[0].effect !== 'applied') throw new Error(`The call was not made: ${JSON.stringify(calls)}`);
}

/** @returns the files under src, such as `workflows/turn/turn.ts`, with a function that ran during the second of two calls */
async function filesThatRan(call) {
  await call();
  await sleep(1000);
  for (const timer of timers) clearInterval(timer);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const bundle = readFileSync(BUNDLE, 'utf8');
  const map = JSON.parse(Buffer.from(bundle.slice(bundle.lastIndexOf('base64,') + 7), 'base64').toString());
  const sources = await require('source-map').SourceMapConsumer.with(map, null, (consumer) =>
    result.flatMap(({ url, functions }) => {
      const path = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!path.startsWith(DIST)) return [];
      const code = readFileSync(path, 'utf8');
      const called = functions.map(({ ranges: [range] }) => range).filter((range) => range.count > 0 && isOwn(code, range));
      if (path !== BUNDLE) return called.map(() => `src/${relative(DIST, path).replace(/js$/, 'ts')}`);
      const before = called.map(({ startOffset }) => code.slice(0, startOffset).split('\n'));
      const at = (lines) => consumer.originalPositionFor({ line: lines.length, column: lines.at(-1).length });
      return before.map((lines) => at(lines).source ?? '');
    }),
  );
  return [...new Set(sources)].filter((path) => /^src\/(?!devserver\/)/.test(path)).map((path) => path.slice('src/'.length));
}

/** Neither the top level of a module nor a getter that TypeScript writes for a re-export. */
function isOwn(code, { startOffset, endOffset }) {
  return startOffset > 0 && !/^function ?\(\) \{ return \w+(\.\w+|\[k\]); \}$/.test(code.slice(startOffset, endOffset));
}

function report(names) {
  const missing = names.filter((name) => !existsSync(join(ROOT, 'src', name)));
  if (missing.length > 0) console.error(`src/ lacks ${missing}, which dist/ has: run \`npm run build\`. Counted with 0 lines.`);
  const linesOf = (name) => (missing.includes(name) ? 0 : readFileSync(join(ROOT, 'src', name), 'utf8').split('\n').length - 1);
  const roomOf = (name) => (name.includes('/') ? name.split('/')[0] : '(src itself)');
  const list = names.map((name) => ({ room: roomOf(name), file: name, lines: linesOf(name) })).sort((a, b) => b.lines - a.lines);
  const sum = (files) => ({ files: files.length, lines: files.reduce((total, { lines }) => total + lines, 0) });
  const byRoom = (room) => ({ room, ...sum(list.filter((one) => one.room === room)) });
  const rooms = [...new Set(list.map(({ room }) => room))].map(byRoom).sort((a, b) => b.files - a.files);
  if (has('--json')) return console.log(JSON.stringify({ ...sum(list), rooms, ...(has('--list') && { list }) }));
  console.log(`One destructive ${has('--direct') ? 'direct call' : 'call in a turn'} crosses:`);
  for (const { room, files, lines } of [...rooms, { room: 'all rooms', ...sum(list) }])
    console.log(`${room.padEnd(14)}${String(files).padStart(4)} files${String(lines).padStart(7)} lines`);
  if (has('--list')) for (const { file, lines } of list) console.log(`${String(lines).padStart(5)} ${file}`);
}
