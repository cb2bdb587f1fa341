/** Readers find every page, and every link between pages leads somewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../../support/named-tests';

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'packages/verify/README.md', ...docs.map((name) => `docs/${name}`)];
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

interface Link {
  page: string;
  /** Below the root. */
  file: string;
  /** Empty: the page as a whole. */
  anchor: string;
}

function linksOf(page: string): Link[] {
  const text = textOf(page).replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(([, path, anchor]) => ({
    page,
    file: path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path!)),
    anchor: anchor ?? '',
  }));
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page)
    .replace(/^```[^]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const links = PAGES.flatMap(linksOf);

it('docs/README.md lists each page of docs/', () => {
  const listed = new Set(linksOf('docs/README.md').map(({ file }) => file));
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((name) => !listed.has(`docs/${name}`))).toEqual([]);
});

it('each link leads to a file', () => {
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('each link to a part of a page names a heading of it', () => {
  const isPage = (file: string) => existsSync(join(ROOT, file)) && statSync(join(ROOT, file)).isFile() && file.endsWith('.md');
  const parts = links.filter(({ file, anchor }) => anchor !== '' && isPage(file));
  expect(parts.length).toBeGreaterThan(50);
  expect(parts.filter(({ file, anchor }) => !anchorsOf(file).includes(anchor))).toEqual([]);
});

it('each picture is there, and docs/images has no other', () => {
  const pictures = PAGES.flatMap((page) => {
    const text = textOf(page);
    const sources = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)|<(?:img|source)\b[^>]*? src(?:set)?="([^"]+)"/g)];
    return sources.map(([, markdown, html]) => join(dirname(page), (markdown ?? html)!));
  });
  expect(pictures.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const files = readdirSync(join(ROOT, 'docs/images')).filter((name) => name !== 'page.json');
  expect(files.filter((name) => !pictures.includes(`docs/images/${name}`))).toEqual([]);
});

it('the README has at most 1,200 words, and an install line before anything else to run', () => {
  const readme = textOf('README.md');
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1200);
  expect(/^```sh\n(.*)$/m.exec(readme)![1]).toBe('npm init -y && npm install holdfast zod');
});
