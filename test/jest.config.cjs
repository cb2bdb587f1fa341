/**
 * Jest over test/, which mirrors src/. SWC only strips types: the type check is a gate of its own
 * (scripts/test.mjs). The time limit suits tests with a real server; a unit test needs none of it, and a busy machine some.
 */
module.exports = {
  rootDir: '..',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: ['<rootDir>/test/support/no-promise-hook.ts'],
  testEnvironment: 'node',
  testTimeout: 300_000,
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  transform: {
    '^.+\\.ts$': swc({ syntax: 'typescript', dynamicImport: true }),
    '^.+\\.js$': swc({ syntax: 'ecmascript' }),
  },
  // ES modules only: Node imports them, Jest's own module system does not.
  transformIgnorePatterns: ['/node_modules/(?!(?:jose|request-filtering-agent)/)'],
};

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
