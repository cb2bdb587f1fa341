/**
 * Jest projects; the folder says what a test may use (AGENTS.md, held by lint).
 *
 * unit: pure code, no server, nothing but `npm ci` before it. engine: workflows and activities on a Temporal server.
 * system: processes, PostgreSQL, browsers, chains, MCP servers. SWC only strips types: the type check is a gate of its own.
 */
const root = require('node:path').join(__dirname, '..');

const shared = {
  rootDir: root,
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testRunner: '<rootDir>/test/support/jest/runner.cjs',
  resolver: '<rootDir>/test/support/jest/resolver.cjs',
  setupFiles: ['<rootDir>/test/support/jest/no-promise-hook.ts', '<rootDir>/test/support/jest/no-watchdog.ts'],
  transform: {
    '^.+\\.ts$': swc({ syntax: 'typescript', dynamicImport: true }),
    '^.+\\.js$': swc({ syntax: 'ecmascript' }),
  },
  // ES modules only: Node imports them, Jest's own module system does not.
  transformIgnorePatterns: [
    '/node_modules/(?!(?:jose|request-filtering-agent|openid-client|oauth4webapi|age-encryption|@noble/[^/]+|@scure/base)/)',
  ],
};

const server = {
  globalSetup: '<rootDir>/test/engine/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/engine/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/test-file.ts'],
};

module.exports = {
  rootDir: root,
  testTimeout: 300_000,
  // Any process has more than that: a new one runs the next file (scripts/lib/jest-run.mjs).
  ...(process.env.HOLDFAST_TEST_FRESH_PROCESS === '1' ? { workerIdleMemoryLimit: '1MB' } : {}),
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  // The tests of containers need Docker, and nothing else of the other tests: only .ci/containers runs them.
  projects: process.env.HOLDFAST_TEST_CONTAINERS
    ? [project('containers')]
    : [project('unit'), project('engine', server), project('system', server)],
};

function project(name, more = {}) {
  return { ...shared, ...more, displayName: name, testMatch: [`<rootDir>/test/${name}/**/*.test.ts`] };
}

function swc(parser) {
  return [
    '@swc/jest',
    {
      swcrc: false,
      sourceMaps: 'inline',
      module: { type: 'commonjs', ignoreDynamic: false },
      jsc: { target: 'es2022', parser, keepClassNames: true },
    },
  ];
}
