/**
 * The import rules of the design card, one line for each room, and what tests of each folder may use. `lint-rules.mjs` calls
 * `importFault` for each import.
 */
import { posix } from 'node:path';

const ROOMS = [
  'activities',
  'agents',
  'attestation',
  'audit',
  'cards',
  'cli',
  'codec-server',
  'completions',
  'deputies',
  'devserver',
  'encryption',
  'entries',
  'evals',
  'files',
  'gateway',
  'http-client',
  'live',
  'mcp',
  'model',
  'notify',
  'page',
  'passkeys',
  'processes',
  'protocols',
  'record',
  'rules',
  'schedules',
  'shapes',
  'shared',
  'sign-in',
  'stop',
  'store',
  'telemetry',
  'temporal',
  'testing',
  'tools',
  'triggers',
  'witness',
  'workflows',
];
const FILES = ['client', 'config', 'index', 'worker', 'worker-process'];
/** The public part of the workflows: names and shapes that other rooms may import. */
const CONTRACT = 'workflows/contract';

/** `src/worker.ts` and `src/client.ts` are programs too: when run as programs, they load the command line. */
const PROGRAMS = ['src/worker.ts', 'src/client.ts'];
const COMMAND_LINE = './cli/main.js';

/**
 * room → `may`: rooms and top-level files that it may import; `types`: those of which it may import only types.
 * `packages`: the only ones that it may import; false: none; absent: all.
 */
const TABLE = {
  shared: { may: [], types: ['shapes'], packages: false },
  // Zod schemas. Code that runs in workflows, or that every client loads, imports only their types.
  shapes: { may: ['shared'], packages: ['zod'] },
  // The card as Markdown and as a message: pure, since workflows write it.
  cards: { may: ['shared'], types: ['shapes'], packages: false },
  workflows: {
    may: ['shared', 'cards'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  rules: { may: ['shared'] },
  // Definitions, what a worker does with them, and their routes, which the gateway's app lists.
  schedules: {
    may: ['shared', 'shapes', 'temporal', 'client', 'gateway'],
    types: ['activities', 'agents', 'tools'],
  },
  // The same for webhooks that start turns; only the gateway does something with them.
  triggers: { may: ['shared', 'schedules', 'client', 'config', 'gateway'] },
  // Tokens with which calls are completed later, and their route, which the gateway's app lists.
  completions: { may: ['shared', 'shapes', 'store', 'client', 'gateway'] },
  record: { may: ['shared', 'cards'], types: ['shapes'] },
  // Keys, and what they seal: payloads of Temporal and lines of the store.
  encryption: { may: ['shared'] },
  store: { may: ['shared', 'record', 'telemetry', 'encryption'] },
  // What files are by their content, and files as parts of the store.
  files: { may: ['shared', 'record', 'store'], types: ['shapes', 'model', 'tools'] },
  telemetry: { may: ['shared', CONTRACT], types: ['config', 'tools'] },
  model: { may: ['shared', 'telemetry', 'config'], types: ['store'] },
  tools: { may: ['shared', 'files', 'record', 'rules', 'store', 'telemetry'], types: ['agents', 'model', 'schedules', 'shapes'] },
  mcp: { may: ['shared', 'files', 'store', 'telemetry', 'tools', 'processes'] },
  processes: { may: ['shared'] },
  agents: { may: ['shared', 'rules', 'schedules', 'telemetry', 'tools', 'triggers'], types: ['model', 'store', 'shapes'] },
  notify: { may: ['shared', 'cards'], types: ['activities'] },
  'sign-in': { may: ['shared'], types: ['attestation', 'config', 'store'] },
  live: { may: ['shared', 'shapes'] },
  testing: {
    may: [
      'shared',
      'encryption',
      'tools',
      'agents',
      'store',
      'model',
      'client',
      'completions',
      'devserver',
      'temporal',
      'worker',
    ],
    types: ['record', 'evals'],
  },
  // Cases of agents: their runs in the engine beside which agents are tested, and cases of what was recorded.
  evals: {
    may: [
      'shared',
      'record',
      'rules',
      'store',
      'model',
      'tools',
      'agents',
      'attestation',
      'audit',
      'client',
      'testing',
      'worker',
    ],
    types: ['shapes'],
  },
  activities: {
    may: [
      'shared',
      'completions',
      'cards',
      'record',
      'files',
      'store',
      'telemetry',
      'model',
      'tools',
      'audit',
      'agents',
      'live',
      'schedules',
      CONTRACT,
    ],
    types: ['rules'],
  },
  temporal: { may: ['shared', 'telemetry', CONTRACT], types: ['activities', 'config', 'live'] },
  audit: {
    may: ['shared', 'record', 'files', 'rules', 'store', 'telemetry', 'temporal', 'attestation', 'witness', CONTRACT],
    types: ['model'],
  },
  // Receipts of bundles: read by verifiers, made by a server of its own.
  witness: { may: ['shared', 'store', 'telemetry', 'attestation'] },
  attestation: { may: ['shared', 'record', 'store', 'telemetry'], types: ['activities', 'shapes'] },
  devserver: { may: ['shared', 'store', 'telemetry', 'temporal', 'processes', CONTRACT], types: ['config'] },
  client: {
    may: [
      'shared',
      'cards',
      'record',
      'files',
      'attestation',
      'store',
      'telemetry',
      'temporal',
      'audit',
      'config',
      'live',
      'encryption',
      'schedules',
      CONTRACT,
    ],
    types: ['agents', 'tools', 'shapes', 'witness'],
  },
  config: { may: ['shared', 'devserver', 'temporal'], types: ['encryption'] },
  worker: {
    may: everythingBut('cli', 'evals', 'gateway', 'devserver', 'client', 'index', 'workflows', 'testing').concat(CONTRACT),
  },
  'worker-process': {
    may: everythingBut('cli', 'evals', 'gateway', 'devserver', 'client', 'index', 'workflows', 'testing').concat(CONTRACT),
  },
  gateway: {
    may: everythingBut('cli', 'evals', 'index', 'worker', 'activities', 'workflows', 'mcp', 'testing').concat(CONTRACT),
  },
  // Routes of the gateway that speak another protocol: its app lists them, and they use its parts.
  page: { may: ['shared'], types: ['gateway'] },
  'codec-server': { may: ['shared', 'gateway', 'encryption', 'telemetry'], types: ['config'] },
  passkeys: { may: ['shared', 'shapes', 'attestation', 'client', 'gateway', 'deputies'] },
  deputies: { may: ['shared', 'shapes', 'record', 'store', 'attestation', 'client', 'gateway', 'passkeys'] },
  // The stop switch: its register, and its routes.
  stop: { may: ['shared', 'shapes', 'record', 'store', 'gateway'] },
  protocols: { may: ['shared', 'shapes', 'record', 'store', 'tools', 'client', 'gateway', 'agents'] },
  'http-client': { may: [], packages: ['openapi-fetch'] },
  cli: { may: everythingBut('index', 'activities', 'workflows', 'testing', 'shapes').concat(CONTRACT), types: ['shapes'] },
  entries: {
    may: everythingBut('cli', 'evals', 'index', 'workflows', 'testing', 'shapes').concat(CONTRACT),
    types: ['shapes'],
  },
  index: { may: everythingBut('cli', 'evals', 'workflows', 'testing', 'shapes').concat(CONTRACT), types: ['shapes'] },
};

/** The engine's rooms of which a package is made. The engine imports no package; other packages import its entries, as packs do. */
const OF_PACKAGES = {
  verify: ['attestation', 'audit', 'cli', 'shared', 'witness'],
  page: ['attestation', 'audit', 'shared', 'witness'],
};
/** Of these rooms they may import types: the page reads what the gateway writes, and has no zod. */
const TYPES_FOR_PACKAGES = { page: ['shapes'] };

/** Processes and their clients are allowed only in test/system, a Temporal server in test/engine too. */
const PROCESSES = ['node:child_process', 'node:cluster', 'playwright-core', 'pg'];
const UNIT = { folders: ['engine', 'system'], packages: [...PROCESSES, '@temporalio/worker', '@temporalio/testing'] };
const TEST_LEVELS = { unit: UNIT, support: UNIT, engine: { folders: ['system'], packages: PROCESSES } };
/** Jest's own set-up before all tests may start a process: it builds dist/. */
const SET_UP = 'test/engine/support/global-setup.ts';

/** A pack may import `holdfast` and its entries of the engine; the pack with agents may also import the other packs. */
const OUR_PACKS = /^@holdfast\//;
const HAS_AGENTS = 'showcase';
const NO_PACK =
  'The engine imports no pack: packs depend on it (docs/decisions/0053). The command line loads @holdfast/showcase and @holdfast/tool-kit by name.';

/**
 * @param {string} file the importing file, from the project's root, with `/`
 * @param {string} name what it imports, as written there
 * @param {{typesOnly: boolean, dynamic: boolean}} how typesOnly: `import type`; dynamic: `import()`
 * @returns {string | null} the reason why the import is forbidden; null if it is allowed
 */
export function importFault(file, name, how) {
  const [top, level] = file.split('/');
  if (top === 'src') return OUR_PACKS.test(name) ? NO_PACK : faultOfRoom(file, name, how);
  if (top === 'packages' && OF_PACKAGES[level]) return faultOfPackageBeside(file, name, level, how.typesOnly);
  if (top === 'packs' || top === 'packages') return faultOfPack(file, name);
  if (top === 'test' && TEST_LEVELS[level] && file !== SET_UP && !how.typesOnly) return faultOfTest(file, name, level);
  return null;
}

function faultOfRoom(file, name, { typesOnly, dynamic }) {
  const room = roomOf(file);
  const rule = TABLE[room];
  if (!rule) return null;
  if (dynamic && rule.packages !== undefined) return `${room} is pure: no dynamic imports.`;
  if (!name.startsWith('.')) return faultOfPackage(room, rule, name);
  if (dynamic && PROGRAMS.includes(file) && name === COMMAND_LINE) return null;
  const path = posix.join(posix.dirname(file), name);
  const other = roomOf(path);
  if (path.startsWith('packages/')) return 'Packages are made of the engine, and it takes nothing of them.';
  if (other === room || !(ROOMS.includes(other) || FILES.includes(other))) return null;
  if (rule.may.includes(other) || (path === `src/${CONTRACT}` && rule.may.includes(CONTRACT))) return null;
  if (!rule.types?.includes(other)) return `${room} must not import ${other}: imports go one way (scripts/lib/rooms.mjs).`;
  return typesOnly ? null : `${room} may import types of ${other} only.`;
}

function faultOfPack(file, name) {
  const [folder, pack] = file.split('/');
  if (name.startsWith('.')) {
    const inside = posix.join(posix.dirname(file), name).startsWith(`${folder}/${pack}/src/`);
    return inside ? null : 'A pack is a package: of others it imports what they export, by their names.';
  }
  if (OUR_PACKS.test(name) && pack !== HAS_AGENTS) return `Only ${HAS_AGENTS} imports other packs.`;
  return null;
}

function faultOfPackage(room, { packages }, name) {
  if (packages === undefined || (packages && packages.some((known) => name === known || name.startsWith(`${known}/`))))
    return null;
  return packages
    ? `${room} may import no package but ${packages.join(' and ')}.`
    : `${room} is pure: no packages and no Node modules.`;
}

function faultOfPackageBeside(file, name, of, typesOnly) {
  const path = posix.join(posix.dirname(file), name);
  if (typesOnly && TYPES_FOR_PACKAGES[of]?.includes(roomOf(path))) return null;
  if (!name.startsWith('.') || !path.startsWith('src/') || OF_PACKAGES[of].includes(roomOf(path))) return null;
  return `packages/${of} must not import ${roomOf(path)} (scripts/lib/rooms.mjs).`;
}

/** The folder under src/, or the name of a file that lies in src/ itself. */
function roomOf(path) {
  return path.split('/')[1].replace(/\.ts$/, '');
}

function faultOfTest(file, name, level) {
  const { folders, packages } = TEST_LEVELS[level];
  const path = name.startsWith('.') ? posix.join(posix.dirname(file), name) : '';
  if (folders.some((folder) => path.startsWith(`test/${folder}/support/`)))
    return `Tests of test/${level} use nothing of test/${folders.join(' and test/')}: move the test there (AGENTS.md).`;
  if (packages.includes(name))
    return `Tests of test/${level} do not use this package: move the test to a folder that may (AGENTS.md).`;
  return null;
}

function everythingBut(...others) {
  return [...ROOMS, ...FILES].filter((name) => !others.includes(name));
}
