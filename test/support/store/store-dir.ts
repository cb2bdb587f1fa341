/** A fresh directory for each store, and what tests look for in it. */
import type { NewClaim } from '../../../src/record/effect';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const made: string[] = [];

export function storeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  made.push(dir);
  return dir;
}

/** For `afterAll`. */
export function removeStoreDirs(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

/** Every file below, as paths relative to the store. */
export function filesIn(dir: string, root = dir): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? filesIn(path, root) : [relative(root, path)];
  });
}

export const KEY = `hf_${'1'.repeat(40)}`;

export function aClaim(more: Partial<NewClaim> = {}): NewClaim {
  return {
    idempotency_key: KEY,
    turn_id: 'inv-7',
    digest: 'd'.repeat(64),
    dispatch: 1,
    tool: 'pay_invoice',
    run_id: 'run-1',
    attempt: 1,
    head: 'a'.repeat(64),
    ...more,
  };
}
