/** Shared by the tests of `testTool`: the till, and the examination of a tool. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokenClaims, testTool, type ToolReport, type ToolTest } from '../../../dist/testing';
import type { Tool } from '../../../dist/tools/define/tool';

export const MODULE = join(__dirname, 'fixtures/tools.ts');

let folder: string;

/** A new till for each test. */
export function tillFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-till-'));
    process.env.TILL_FOLDER = folder;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
}

/** The till's own count. */
export const effects = async () => (await readdir(folder)).filter((name) => name.startsWith('paid-')).length;

export const examine = (tool: Tool, more: Partial<ToolTest> = {}) =>
  testTool(tool, { input: {}, effects, settleMs: 20, ...more });

/** The claims that were found broken. */
export async function broken(tool: Tool, more: Partial<ToolTest> = {}): Promise<string[]> {
  const error = await examine(tool, more).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error === null) return [];
  if (!(error instanceof BrokenClaims)) throw error;
  const claims = error.report.claims.filter(({ held }) => !held).map(({ claim }) => claim);
  for (const claim of claims) expect(error.message).toContain(claim);
  return [...new Set(claims)];
}

export const claimsOf = ({ claims }: ToolReport) => [...new Set(claims.map(({ claim }) => claim))];
