import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './run-module';

/**
 * A folder with these files and folders of this checkout, and its dependencies.
 * @param leftOut of the names in node_modules
 */
export function newCheckout(names: readonly string[], leftOut: (name: string) => boolean): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-checkout-'));
  for (const name of names) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  // Linked one by one, so that nothing here can change the folder itself.
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((entry) => !leftOut(entry)))
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
  return root;
}

/** One in which nothing has been built, nor can be loaded as a package. @param more names besides the sources */
export function newSourceCheckout(...more: string[]): string {
  const names = ['src', 'packs', 'scripts/lib', 'package.json', 'tsconfig.json', ...more];
  const root = newCheckout(names, (name) => name === 'holdfast' || name === '@holdfast');
  const packs = readdirSync(join(root, 'packs')).filter((name) => !name.endsWith('.json'));
  for (const name of packs) rmSync(join(root, 'packs', name, 'dist'), { recursive: true, force: true });
  return root;
}
