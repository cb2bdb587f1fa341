/** A project outside of the repository, with this build in it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../support/named-tests';
import { MAIN } from './cli';

/** As `npm install holdfast zod` leaves a folder, with links. */
export function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(ROOT, join(modules, 'holdfast'));
  symlinkSync(join(ROOT, 'node_modules/zod'), join(modules, 'zod'));
  writeFileSync(join(modules, '.bin/holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
}
