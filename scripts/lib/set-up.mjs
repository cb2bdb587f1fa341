/**
 * Sets up everything that a checkout needs before anything runs: dependencies, the generated types of the HTTP API, dist/ with the
 * workflow bundle, a Temporal CLI. Each part is made only if something changed; two set-ups at once take turns.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, isCompiled } from './compile.mjs';
import { generate, isGenerated, TYPES } from './http-types.mjs';
import { install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import timeServer from '../time-server/jars.cjs';

/**
 * @param {string} root of the checkout
 * @param {{say?: (line: string) => void, cli?: boolean}} [options] cli: false leaves the Temporal CLI out
 * @returns {Promise<{temporalCli: string | null}>}
 */
export async function setUp(root, { say = (line) => console.error(`setup: ${line}`), cli = true } = {}) {
  if (!isInstalled(root) || !isGenerated(root) || !isCompiled(root)) {
    say(plan(root, cli));
    const started = Date.now();
    await withLock(
      join(root, '.holdfast', 'setup.lock'),
      (holder) => say(`waiting for another set-up (process ${holder}) …`),
      async () => {
        const installed = await install(root, say);
        const generated = await generate(root, say);
        const compiled = await compile(root, say);
        if (installed || generated || compiled) say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
      },
    );
  }
  return { temporalCli: cli ? await findCli(root, say) : null };
}

const INSTALLING = 'npm ci, 1 to 2 minutes';
const GENERATING = 'a few seconds';
const MAKING_CLI = 'a download, or a build with Go of about 6 minutes';
const COMPILING = 'the compiler and two workflow bundles, half a minute';

/** The work that must be done, and about how long it takes on two cores. */
function plan(root, cli) {
  const todo = [
    ...(isInstalled(root) ? [] : [`dependencies (${INSTALLING})`]),
    ...(isGenerated(root) ? [] : [`${TYPES} (${GENERATING})`]),
    `dist/ (${COMPILING})`,
    ...(cli ? [`and a Temporal CLI where there is none (${MAKING_CLI})`] : []),
  ];
  return `to do: ${todo.join(', ')}`;
}

/**
 * Reports which parts that `setUp` makes are present. Changes nothing.
 * @returns {Promise<{what: string, there: boolean, how: string, optional?: true}[]>}
 */
export async function checkSetUp(root) {
  const installed = isInstalled(root);
  const generated = isGenerated(root);
  const compiled = isCompiled(root);
  return [
    { what: 'dependencies', there: installed, how: installed ? 'as package-lock.json says' : `missing: ${INSTALLING}` },
    { what: 'HTTP types', there: generated, how: generated ? TYPES : `missing or outdated: ${TYPES}, ${GENERATING}` },
    { what: 'dist/', there: compiled, how: compiled ? 'built from src' : `missing or outdated: ${COMPILING}` },
    compiled ? await checkCli(root) : { what: 'Temporal CLI', there: false, how: 'looked for once dist/ is built' },
    ...(compiled ? [await checkTimeServer(root)] : []),
  ];
}

/** The first engine test fetches its jars; without them, tests that skip time wait for short times instead. */
async function checkTimeServer(root) {
  const { cacheFolder } = await fromDist(root, 'cli-cache');
  const { onPath } = await fromDist(root, 'on-path');
  const why = timeServer.whyNoTimeServer(cacheFolder(process.env), (name) => onPath(name, process.env));
  const how = why === null ? 'Java is there, and its jars, or Maven to fetch them' : `optional, for tests that skip time: ${why}`;
  return { what: 'time server', there: why === null, how, optional: true };
}

/** Looks for a CLI that is present; downloads and builds nothing. */
async function checkCli(root) {
  const what = 'Temporal CLI';
  const { findTemporalCli, PRESENT_CLI_SOURCES } = await fromDist(root, 'find-cli');
  try {
    const { path, source, version } = await findTemporalCli({ sources: PRESENT_CLI_SOURCES });
    return { what, there: true, how: `${path} (${source}), version ${version}` };
  } catch (error) {
    return { what, there: false, how: `missing: ${MAKING_CLI}. ${error.message}` };
  }
}

async function findCli(root, say) {
  const { findTemporalCli } = await fromDist(root, 'find-cli');
  const found = await findTemporalCli({ onProgress: say });
  return found.path;
}

async function fromDist(root, name) {
  return (await import(pathToFileURL(join(root, 'dist', 'devserver', `${name}.js`)).href)).default;
}
