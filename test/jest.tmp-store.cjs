module.exports = { rootDir: __dirname, roots: ['<rootDir>/shared', '<rootDir>/store'], testEnvironment: 'node', testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } }] } };
