/** Adds `api` to the copies of the pages: the reference of the package's entries, by TypeDoc, from the comments of src. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { COPIES, ROOT } from './pages.mjs';

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** `src/entries/client.ts` → `holdfast/client`. Without `holdfast/http`: those are the types of docs/http.md, three megabytes of them. */
const names = new Map(
  Object.entries(exports).flatMap(([entry, { types }]) =>
    types === undefined || entry === './http'
      ? []
      : [[types.replace('./dist/', 'src/').replace('.d.ts', '.ts'), `holdfast${entry.slice(1)}`]],
  ),
);

const [all, ...others] = names.keys();

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  // What two entries export is described with the first: `holdfast` has all of it, so it comes last.
  entryPoints: [...others, all].map((file) => join(ROOT, file)),
  sortEntryPoints: false,
  tsconfig: join(ROOT, 'tsconfig.json'),
  basePath: join(ROOT, 'src'),
  name: 'API',
  out: join(COPIES, 'api'),
  readme: 'none',
  // Lint checks the types.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  githubPages: false,
  logLevel: 'Error',
  router: 'module',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  sanitizeComments: true,
  // The plugin counts headings of one name otherwise than VitePress does.
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
});
const project = await app.convert();
if (project === undefined) throw new Error('TypeDoc could not read the entries.');
for (const module of project.children) {
  const file = [...names.keys()].find(
    (name) => name.replace(/^src\//, '').replace(/(\/index)?\.ts$/, '') === module.name.replace(/\/index$/, ''),
  );
  module.name = names.get(file) ?? module.name;
}
await app.generateOutputs(project);
