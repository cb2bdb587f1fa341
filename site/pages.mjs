/**
 * The pages of the site: which files of the repository they are, where they are on the site, and where a link of a page leads. Pages stay
 * readable in the repository, so their links are relative paths to files; here they become addresses of the site, or of the repository.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Copies of the pages, where VitePress finds its own packages beside them. Not in git. */
export const COPIES = join(ROOT, 'site/pages');

/** Where links to files that are no pages lead. A placeholder: there is no such repository. */
const REPOSITORY = 'https://github.com/holdfast/holdfast';

/** Pages outside of docs/, with their place on the site. */
const OUTSIDE = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
};

const isOfSite = (file) => (/^docs\/.*\.(md|png|svg)$/.test(file) || OUTSIDE[file] !== undefined) && existsSync(join(ROOT, file));

/** @param {string} file below the root: `docs/effects.md` @returns {string} its place on the site: `effects.md` */
export function placeOf(file) {
  if (file === 'docs/README.md') return 'pages.md';
  return OUTSIDE[file] ?? file.replace(/^docs\//, '').replace(/\/README\.md$/, '/index.md');
}

/** Copies all pages and their pictures, and, if wanted, each again when it changes. */
export function copyPages({ follow = false } = {}) {
  rmSync(COPIES, { recursive: true, force: true });
  for (const file of files()) copyPage(file);
  if (!follow) return;
  const copy = (file) => isOfSite(file) && copyPage(file);
  watch(join(ROOT, 'docs'), { recursive: true }, (_event, name) => copy(`docs/${name.split(sep).join('/')}`));
  watch(ROOT, (_event, name) => copy(name));
}

function copyPage(file) {
  const copy = join(COPIES, placeOf(file));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(join(ROOT, file), copy);
}

function files() {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true }).map((name) => `docs/${name.split(sep).join('/')}`);
  return [...Object.keys(OUTSIDE), ...docs].filter(isOfSite);
}

const sources = new Map(files().map((file) => [placeOf(file), file]));

/** @param {string} copy path of a copy @returns {string | undefined} the file that it is a copy of; undefined: the API reference */
export const sourceOf = (copy) => sources.get(relative(COPIES, copy).split(sep).join('/'));

/**
 * @param {string} page file below the root
 * @param {string} href as the page has it
 * @returns {string} the address on the site, or of the repository
 * @throws Error for a file that is not there
 */
export function addressOf(page, href) {
  if (/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(href)) return href;
  const [path, anchor] = href.split('#');
  const file = fileAt(page, path);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (isOfSite(file)) return `/${placeOf(file)}${hash}`;
  return `${REPOSITORY}/${statSync(join(ROOT, file)).isDirectory() ? 'tree' : 'blob'}/main/${file}${hash}`;
}

/** Where the copy of a page finds the copy of a picture. */
export function pictureOf(page, src) {
  return posix.relative(posix.dirname(placeOf(page)), placeOf(fileAt(page, src)));
}

function fileAt(page, path) {
  const file = posix.join(posix.dirname(page), decodeURIComponent(path)).replace(/\/$/, '');
  if (!existsSync(join(ROOT, file))) throw new Error(`${page}: there is no ${file}, to which a link leads.`);
  return file;
}

/**
 * The groups of docs/README.md with their pages: the one index of the docs. A page's title is its first heading.
 * @returns {{group: string, pages: {title: string, address: string}[]}[]}
 */
export function groups() {
  const index = 'docs/README.md';
  const [, ...sections] = readFileSync(join(ROOT, index), 'utf8').split(/^## /m);
  return sections.map((section) => ({
    group: section.slice(0, section.indexOf('\n')),
    pages: [...section.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, href]) => {
      const file = posix.join('docs', href);
      return { title: file.endsWith('.md') ? titleOf(file) : posix.basename(file), address: addressOf(index, href) };
    }),
  }));
}

function titleOf(file) {
  const [, title] = /^# (.*)$/m.exec(readFileSync(join(ROOT, file), 'utf8'));
  return title.replace(/: .*/, '').replaceAll('`', '');
}

/** The anchor of a heading, as GitHub makes it, so that links to parts of pages lead to the same place in both. */
export const anchorOf = (title) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
