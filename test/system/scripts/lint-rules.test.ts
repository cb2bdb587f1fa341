import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './support/run-module';

/** [folder that the file stands in, source, the rule that must bite, or null] */
const CASES: [string, string, string | null][] = [
  ['src/shared', "export { join } from 'node:path';", 'imports'],
  ['src/shared', "export { z } from 'zod';", 'imports'],
  ['src/shared', "export { Registry } from '../tools/catalogue/registry';", 'imports'],
  ['src/shared', "export type { Store } from '../store/store';", 'imports'],
  ['src/shared', "export const late = () => import('./json');", 'imports'],
  ['src/shared', "export type { Json } from './json';", null],
  ['src/shared/deeper', "export { Registry } from '../../tools/catalogue/registry';", 'imports'],
  ['src/shared/deeper', "export type { Json } from '../json';", null],
  ['src/workflows', "export { createHash } from 'node:crypto';", 'imports'],
  ['src/workflows', "export { Client } from '@temporalio/client';", 'imports'],
  ['src/workflows', "export { createActivities } from '../activities';", 'imports'],
  ['src/workflows', "export { admit } from '../tools/admit/admit';", 'imports'],
  ['src/workflows', "import type { createActivities } from '../activities';\nexport type A = typeof createActivities;", null],
  ['src/workflows', "import { type createActivities } from '../activities';\nexport type A = typeof createActivities;", null],
  ['src/workflows', "export { sleep } from '@temporalio/workflow';\nexport { callError } from '../shared/wire/errors';", null],
  ['src/activities', "export { HoldfastClient } from '../client';", 'imports'],
  ['src/activities', "export { turn } from '../workflows/turn';", 'imports'],
  [
    'src/activities',
    "export { append } from '../store/core/transcript';\nexport { SIGNALS } from '../workflows/contract';",
    null,
  ],
  ['src/client', "export { turn } from '../workflows/turn';", 'imports'],
  ['src/client', "export { startDevServer } from '../devserver/dev-server';", 'imports'],
  ['src/audit', "export { run } from '../tools/run/run';", 'imports'],
  ['src/audit', "export { ask } from '../model/provider';", 'imports'],
  ['src/audit', "export { financeTools } from '@holdfast/finance';", 'imports'],
  ['src/cli', "export const late = () => import('@holdfast/finance');", 'imports'],
  ['packs/finance/src', "export { defineTool } from '../../../src/tools/define/define';", 'imports'],
  ['packs/finance/src', "export { onchainTools } from '@holdfast/onchain';", 'imports'],
  ['packs/finance/src', "export { onchainTools } from '../../onchain/src';", 'imports'],
  ['packs/finance/src', "export { defineTool } from 'holdfast/tools';", null],
  ['packs/showcase/src', "export { financeTools } from '@holdfast/finance';", null],
  ['src/worker.ts', "export * from './cli/main';", 'imports'],
  ['src/index.ts', "export * from './cli/main';", 'imports'],
  ['src/tools', 'async function act(): Promise<void> {}\nexport function run(): void { act(); }', 'no-floating-promises'],
  ['src/tools', "import { z } from 'zod';\nexport type T = z.ZodType;", 'consistent-type-imports'],
  ['src/tools', "export const cents: number = 'ten';", 'TS2322'],
  ['test/unit/store', "export const cents: number = 'ten';", 'TS2322'],
  ['bench', "export const cents: number = 'ten';", 'TS2322'],
  ['test/unit/store', "export { withEngine } from '../../engine/support/engine';", 'imports'],
  ['test/unit/store', "export { spawn } from 'node:child_process';", 'imports'],
  ['test/unit/store', "export { Worker } from '@temporalio/worker';", 'imports'],
  ['test/support', "export { withEngine } from '../engine/support/engine';", 'imports'],
  ['test/unit/store', "export type { Engine } from '../../engine/support/engine';", null],
  ['test/engine/audit', "export { startHoldfast } from '../../system/support/process';", 'imports'],
  ['test/engine/audit', "export { Pool } from 'pg';", 'imports'],
  ['test/engine/audit', "export { withEngine } from '../support/engine';", null],
  ['test/engine/support/global-setup.ts', "export { spawnSync } from 'node:child_process';", null],
  ['packages/verify/src', "export { createApp } from '../../../src/gateway/app';", 'imports'],
  ['packages/verify/src', "export { verifyBundle } from '../../../src/audit/verify';", null],
  ['packages/verify/src', "export const cents: number = 'ten';", 'TS2322'],
  ['packages/tool-kit/src', "export { createApp } from '../../../src/gateway/app';", 'imports'],
  ['packages/tool-kit/src', "export { financeTools } from '@holdfast/finance';", 'imports'],
  ['packages/tool-kit/src', "export { defineTool } from 'holdfast/tools';", null],
  ['src/cli', "export { draftFromCsv } from '@holdfast/tool-kit';", 'imports'],
  ['src/audit', "export { runCommandLine } from '../../packages/verify/src/command-line';", 'imports'],
  ['test/system/audit', "export { withEngine } from '../../engine/support/engine';", null],
];

interface Diagnostic {
  code: string;
  filename: string;
}

describe('lint', () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
  afterAll(() => rmSync(root, { recursive: true }));

  const files = CASES.map(([place], index) => (place.endsWith('.ts') ? place : `${place}/case-${index}.ts`));
  let found: Map<string, string[]>;

  /** A project of the same rules, which has our sources for what the files import, and one file for each case. */
  beforeAll(() => {
    const ours = [
      '.oxlintrc.json',
      'package.json',
      'tsconfig.json',
      'scripts/lib',
      'src',
      'packs',
      'packages/tool-kit',
      'packages/verify',
      'bench/tsconfig.json',
    ];
    for (const path of [...ours, 'test/tsconfig.json', 'test/engine/support', 'test/system/support'])
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
    for (const [index, path] of files.entries()) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${CASES[index]![1]}\n`);
    }
    const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [oxlint, '--type-aware', '--type-check', '--format', 'json', ...files],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    if (!stdout.startsWith('{')) throw new Error(`oxlint: ${stdout}${stderr}`);
    found = new Map(files.map((path) => [path, []]));
    for (const { code, filename } of (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics)
      found.get(filename)?.push(code);
  });

  it.each(CASES.map((entry, index) => [...entry, index] as const))('in %s: %j → %s', (_place, _source, rule, index) => {
    const codes = found.get(files[index]!)!;
    if (rule === null) expect(codes.filter((code) => code.startsWith('holdfast'))).toEqual([]);
    else expect(codes.join()).toContain(rule);
  });
});
