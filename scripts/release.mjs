/**
 * `npm run release -- 1.2.3`: gives all packages, the client for Python, the chart and the image this version, and what is *Unreleased* in CHANGELOG.md too.
 * It only changes files. A person commits them and pushes the tag v1.2.3, which publishes (.github/workflows/release.yml).
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import semver from 'semver';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGE = ['Dockerfile', 'docker-compose.yml', 'docs/deployment.md', 'test/containers/compose.test.ts'];

const [version] = process.argv.slice(2);
const before = JSON.parse(textOf('package.json')).version;
if (!semver.valid(version) || !semver.gt(version, before)) {
  console.error(`release: name a version after ${before}, such as ${semver.inc(before, 'minor')}.`);
  process.exit(2);
}
if (!/^## Unreleased\n+(?!## )\S/m.test(textOf('CHANGELOG.md'))) {
  console.error('release: CHANGELOG.md has nothing under "Unreleased".');
  process.exit(2);
}

for (const path of manifests()) change(path, withVersion);
for (const path of IMAGE) change(path, (text) => text.replaceAll(`holdfast:${before}`, `holdfast:${version}`));
change('clients/python/pyproject.toml', (text) => text.replace(/^version = .*$/m, `version = "${version}"`));
change('charts/holdfast/Chart.yaml', (text) => text.replace(/^((?:app)?[vV]ersion): .*$/gm, `$1: ${version}`));
const today = new Date().toISOString().slice(0, 10);
change('CHANGELOG.md', (text) => text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`));
const unknown = manifests().filter((path) => !publishes(JSON.parse(textOf(path))));
if (unknown.length > 0)
  console.error(`release: npm will refuse these packages, since their provenance needs the address of this repository: write
"repository": {"type": "git", "url": "git+https://github.com/OWNER/NAME.git"} into ${unknown.join(', ')} before you push the tag.`);
console.log(`All packages are ${version}. Next:
  npm run lock
  git commit -am "Release ${version}" && git tag v${version} && git push origin main v${version}`);

function manifests() {
  const folders = ['packs', 'packages'].flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`));
  return ['.', 'docker', ...folders].map((folder) => join(folder, 'package.json')).filter((path) => existsSync(join(ROOT, path)));
}

/** npm compares `repository.url` with the repository whose workflow has signed the provenance. */
function publishes({ private: kept, publishConfig, repository }) {
  return kept === true || publishConfig?.provenance !== true || Boolean(repository?.url ?? repository);
}

/** Also where one of the packages needs another: they are published together. */
function withVersion(text) {
  const manifest = JSON.parse(text);
  manifest.version = version;
  for (const needed of [manifest.dependencies, manifest.peerDependencies])
    for (const name of Object.keys(needed ?? {})) if (/^(@holdfast\/|holdfast$)/.test(name)) needed[name] = version;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function textOf(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}

function change(path, by) {
  writeFileSync(join(ROOT, path), by(textOf(path)));
}
