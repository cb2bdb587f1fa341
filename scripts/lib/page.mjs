/**
 * Builds `packages/page`, the approvers' page, with Vite. The output has relative addresses, so that it works below any path, and
 * neither inline scripts nor inline styles, so that the gateway's content security policy can forbid them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'packages/page';

/** What a build depends on, besides `src` and the lock file. */
export const PAGE_INPUTS = [
  `${PACKAGE}/src`,
  `${PACKAGE}/public`,
  `${PACKAGE}/index.html`,
  `${PACKAGE}/tsconfig.json`,
  'scripts/lib/page.mjs',
];

const NODE_MODULES = /^node:(?:fs|fs\/promises|path|timers\/promises|child_process)$/;

/** Does nothing if the checkout has no such package. */
export async function buildPage(root, outDir) {
  if (!existsSync(join(root, PACKAGE, 'index.html'))) return;
  const { build } = await import('vite');
  const verifier = (name) => join(root, PACKAGE, 'src', 'verifier', `${name}.ts`);
  await build({
    root: join(root, PACKAGE),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    base: './',
    // The verifier is the engine's own source; these stand in for what it takes from Node.
    resolve: {
      alias: [
        { find: 'node:crypto', replacement: verifier('node-crypto') },
        { find: 'node:buffer', replacement: verifier('buffer') },
        { find: NODE_MODULES, replacement: verifier('no-node') },
      ],
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      // The folder is new, and nothing that the compiler has written may go.
      emptyOutDir: false,
      target: 'es2022',
      // A data address would need its own permission in the policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The verifier, which only the page of audits loads, is one large file.
      chunkSizeWarningLimit: 1000,
    },
  });
}
