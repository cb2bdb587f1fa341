import { execFileSync } from 'node:child_process';
import { ROOT } from './support/run-module';

/** [file that it stands in, source, the rule that must bite, or null] */
const CASES: [string, string, string | null][] = [
  ['src/shared/errors.ts', "export { join } from 'node:path';", 'no-restricted-imports'],
  ['src/shared/errors.ts', "export { z } from 'zod';", 'no-restricted-imports'],
  ['src/shared/errors.ts', "export { Registry } from '../tools/registry';", 'no-restricted-imports'],
  ['src/shared/errors.ts', "export type { Store } from '../store/store';", 'no-restricted-imports'],
  ['src/shared/errors.ts', "export const late = () => import('./json');", 'no-restricted-syntax'],
  ['src/shared/errors.ts', "export type { Json } from './json';", null],
  ['src/workflows/turn.ts', "export { createHash } from 'node:crypto';", 'no-restricted-imports'],
  ['src/workflows/turn.ts', "export { Client } from '@temporalio/client';", 'no-restricted-imports'],
  ['src/workflows/turn.ts', "export { createActivities } from '../activities';", 'no-restricted-imports'],
  ['src/workflows/turn.ts', "export { admit } from '../tools/admit';", 'no-restricted-imports'],
  [
    'src/workflows/turn.ts',
    "import type { createActivities } from '../activities';\nexport type A = typeof createActivities;",
    null,
  ],
  ['src/workflows/turn.ts', "export { sleep } from '@temporalio/workflow';\nexport { callError } from '../shared/errors';", null],
  ['src/activities/run-call.ts', "export { HoldfastClient } from '../client';", 'no-restricted-imports'],
  ['src/activities/run-call.ts', "export { turn } from '../workflows/turn';", 'no-restricted-imports'],
  [
    'src/activities/run-call.ts',
    "export { append } from '../store/transcript';\nexport { SIGNALS } from '../workflows/contract';",
    null,
  ],
  ['src/client.ts', "export { turn } from './workflows/turn';", 'no-restricted-imports'],
  ['src/client.ts', "export { startDevServer } from './devserver/dev-server';", 'no-restricted-imports'],
  ['src/worker.ts', "export * from './cli/main';", 'no-restricted-imports'],
  ['src/index.ts', "export * from './cli/main';", 'no-restricted-imports'],
  ['src/tools/run.ts', 'async function act(): Promise<void> {}\nexport function run(): void { act(); }', 'no-floating-promises'],
  ['src/tools/run.ts', "import { z } from 'zod';\nexport type T = z.ZodType;", 'consistent-type-imports'],
  ['test/unit/store/writable.test.ts', "export { withEngine } from '../../engine/support/engine';", 'no-restricted-imports'],
  ['test/unit/store/writable.test.ts', "export { spawn } from 'node:child_process';", 'no-restricted-imports'],
  ['test/unit/store/writable.test.ts', "export { Worker } from '@temporalio/worker';", 'no-restricted-imports'],
  ['test/support/silent.ts', "export { withEngine } from '../engine/support/engine';", 'no-restricted-imports'],
  ['test/unit/store/writable.test.ts', "export type { Engine } from '../../engine/support/engine';", null],
  ['test/engine/audit/export.test.ts', "export { startHoldfast } from '../../system/support/process';", 'no-restricted-imports'],
  ['test/engine/audit/export.test.ts', "export { Pool } from 'pg';", 'no-restricted-imports'],
  ['test/engine/audit/export.test.ts', "export { withEngine } from '../support/engine';", null],
  ['test/system/audit/incident.test.ts', "export { withEngine } from '../../engine/support/engine';", null],
];
/** Rooms that have no file yet: the rule goes by path, so any file of the room would do, but the type-aware parser wants a real one. */
const AUDIT = ['../tools/run', '../model/provider', '../packs/finance'];

describe('the import rules', () => {
  let found: string[][];
  beforeAll(() => {
    const code = `
      import { ESLint } from 'eslint';
      const eslint = new ESLint();
      const out = [];
      for (const [filePath, source] of ${JSON.stringify(CASES)}) {
        const [{ messages }] = await eslint.lintText(source, { filePath });
        out.push(messages.map((message) => message.fatal ? message.message : message.ruleId.replace(/^.*\\//, '')));
      }
      const config = await eslint.calculateConfigForFile('src/audit/any.ts');
      out.push(config.rules['@typescript-eslint/no-restricted-imports'][1].patterns.map((pattern) => pattern.regex));
      console.log(JSON.stringify(out));`;
    found = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' }),
    ) as string[][];
  });

  it.each(CASES.map((entry, index) => [...entry, index] as const))('in %s: %j → %s', (_file, _source, rule, index) => {
    if (rule === null) expect(found[index]).toEqual([]);
    else expect(found[index]).toContain(rule);
  });

  it.each(AUDIT)('audit cannot reach %s', (path) => {
    expect(found.at(-1)!.some((regex) => new RegExp(regex, 'u').test(path))).toBe(true);
  });
});
