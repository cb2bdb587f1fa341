/**
 * The import rules of the design card, one line a room, as ESLint configuration. What a room may not
 * reach it may not name; `types` are rooms of which it may import types only.
 */

const ROOMS = [
  'activities',
  'agents',
  'attestation',
  'audit',
  'cli',
  'devserver',
  'entities',
  'entries',
  'gateway',
  'http-client',
  'live',
  'model',
  'notify',
  'packs',
  'processes',
  'rules',
  'shared',
  'store',
  'telemetry',
  'testing',
  'tools',
  'workflows',
];
const FILES = ['client', 'config', 'data-converter', 'index', 'routing', 'worker', 'worker-process'];
/** The public face of the workflows: names and shapes, importable from anywhere. */
const CONTRACT = 'workflows/contract';

/**
 * room → `may`: rooms and top-level files that it may import; `types`: of those only types.
 * `packages`: false for none, or the list of the only ones.
 */
const TABLE = {
  shared: { may: [], packages: false },
  workflows: {
    may: ['shared', 'data-converter'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  rules: { may: ['shared'] },
  store: { may: ['shared', 'telemetry'] },
  telemetry: { may: ['shared'], types: ['tools'] },
  model: { may: ['shared', 'telemetry'] },
  tools: { may: ['shared', 'rules', 'store', 'telemetry'], types: ['agents', 'model'] },
  packs: { may: ['shared', 'store', 'telemetry', 'tools', 'processes'] },
  processes: { may: ['shared'] },
  agents: { may: ['shared', 'rules', 'telemetry', 'tools', 'packs'], types: ['model', 'store'] },
  notify: { may: ['shared'], types: ['activities'] },
  live: { may: ['shared'] },
  testing: { may: ['shared', 'tools', 'agents'] },
  activities: {
    may: ['shared', 'store', 'telemetry', 'model', 'tools', 'packs', 'audit', 'agents', 'live', CONTRACT],
    types: ['rules'],
  },
  entities: { may: ['shared', CONTRACT], types: ['activities'] },
  audit: { may: ['shared', 'rules', 'store', 'telemetry', 'data-converter', 'attestation', CONTRACT] },
  attestation: { may: ['shared', 'store', 'telemetry'], types: ['activities'] },
  devserver: { may: ['shared', 'telemetry', 'processes', CONTRACT], types: ['config'] },
  client: {
    may: ['shared', 'attestation', 'entities', 'store', 'telemetry', 'audit', 'config', 'data-converter', 'live', CONTRACT],
    types: ['agents', 'tools'],
  },
  config: { may: ['shared', 'devserver'] },
  'data-converter': { may: ['shared'] },
  routing: { may: ['shared'] },
  worker: { may: everythingBut('cli', 'gateway', 'devserver', 'client', 'index', 'workflows', 'testing').concat(CONTRACT) },
  'worker-process': {
    may: everythingBut('cli', 'gateway', 'devserver', 'client', 'index', 'workflows', 'testing').concat(CONTRACT),
  },
  gateway: { may: everythingBut('cli', 'index', 'worker', 'activities', 'workflows', 'packs', 'testing').concat(CONTRACT) },
  'http-client': { may: [], packages: ['openapi-fetch'] },
  cli: { may: everythingBut('index', 'activities', 'workflows', 'testing').concat(CONTRACT) },
  entries: { may: everythingBut('cli', 'gateway', 'index', 'workflows', 'testing').concat(CONTRACT) },
  index: { may: everythingBut('cli', 'workflows', 'testing').concat(CONTRACT) },
};

/** Two for each line of the table: for the top-level file of that name, and for what lies in the folder. */
export const roomRules = Object.entries(TABLE).flatMap(([room, rule]) => [
  config([`src/${room}.ts`], '\\./', room, rule),
  config([`src/${room}/**/*.ts`], '(?:\\.\\./)+', room, rule),
]);

function config(files, way, room, rule) {
  const patterns = [...forbiddenRooms(way, room, rule), ...forbiddenPackages(room, rule)];
  const dynamic = { selector: 'ImportExpression', message: `${room} is pure: no dynamic imports.` };
  return {
    files,
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
      ...(rule.packages === undefined ? {} : { 'no-restricted-syntax': ['error', dynamic] }),
    },
  };
}

function forbiddenRooms(way, room, { may, types = [] }) {
  return [...ROOMS, ...FILES]
    .filter((other) => other !== room && !may.includes(other))
    .map((other) => ({
      regex: `^${way}${other}${other === 'workflows' && may.includes(CONTRACT) ? '(?:$|/(?!contract$))' : '(?:$|/)'}`,
      message: types.includes(other)
        ? `${room} may import types of ${other} only.`
        : `${room} must not import ${other}: imports go one way (scripts/lib/rooms.mjs).`,
      allowTypeImports: types.includes(other),
    }));
}

function forbiddenPackages(room, { packages }) {
  if (packages === undefined) return [];
  const allowed = packages ? `(?!(?:${packages.map((name) => name.replace('/', '\\/')).join('|')})(?:$|/))` : '';
  const message = packages
    ? `${room} runs in the sandbox: only ${packages.join(' and ')}.`
    : `${room} is pure: no packages and no Node modules.`;
  return [{ regex: `^${allowed}[^.]`, message }];
}

function everythingBut(...others) {
  return [...ROOMS, ...FILES].filter((name) => !others.includes(name));
}

/** What a test may use is said by its folder: processes and their clients only in test/system, a Temporal server from test/engine on. */
const PROCESSES = ['node:child_process', 'node:cluster', 'playwright-core', 'pg'];
const TEST_LEVELS = {
  '{unit,support}': { folders: ['engine', 'system'], packages: [...PROCESSES, '@temporalio/worker', '@temporalio/testing'] },
  engine: { folders: ['system'], packages: PROCESSES },
};

export const testRules = Object.entries(TEST_LEVELS).map(([level, { folders, packages }]) => ({
  files: [`test/${level}/**/*.ts`],
  // Jest's own set-up before all tests builds dist/ in a process.
  ignores: ['test/engine/support/global-setup.ts'],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^\\.\\.?/(?:.*/)?(?:${folders.join('|')})/support/`,
            message: `Tests of test/${level} use nothing of test/${folders.join(' and test/')}: move the test there (AGENTS.md).`,
            allowTypeImports: true,
          },
          {
            regex: `^(?:${packages.join('|')})$`,
            message: `Tests of test/${level} do not use this package: move the test to a folder that may (AGENTS.md).`,
            allowTypeImports: true,
          },
        ],
      },
    ],
  },
}));
