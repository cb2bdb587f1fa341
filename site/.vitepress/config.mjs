/** The site: VitePress over docs/ as it stands (../pages.mjs says which files are pages). Nothing of it is fetched from elsewhere. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { linkFaults } from '../links.mjs';
import { addressOf, anchorOf, COPIES, groups, pictureOf, ROOT, sourceOf } from '../pages.mjs';

export default defineConfig({
  title: 'holdfast',
  description:
    'A durable engine for agent turns: a crash repeats nothing, what was approved is what runs, and the record can be proved.',
  lang: 'en',
  srcDir: COPIES,
  outDir: process.env.HOLDFAST_SITE_OUT ?? join(ROOT, 'site/dist'),
  // Addresses of a reader's own machine are no pages.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    config: withAddresses,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { build: { chunkSizeWarningLimit: 8000 } },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'All pages', link: '/pages' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [...groups().map(asSidebar), ...apiSidebar()],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: renderForSearch, miniSearch: { searchOptions: { boostDocument: boost, processTerm: searched } } },
    },
  },
  buildEnd({ outDir }) {
    const faults = linkFaults(outDir);
    if (faults.length > 0) throw new Error(`Links that lead nowhere:\n${faults.join('\n')}`);
  },
});

/** A group of one page is that page. Groups do not fold: a button within a button keeps people out. */
function asSidebar({ group, pages }) {
  const items = pages.map(({ title, address }) => ({ text: title, link: address }));
  return items.length === 1 ? { ...items[0], text: group } : { text: group, items };
}

function apiSidebar() {
  const folder = join(COPIES, 'api');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md') && name !== 'index.md');
  const items = names.toSorted().map((name) => ({ text: name.replace(/(\/index)?\.md$/, ''), link: `/api/${name}` }));
  return [{ text: 'API', items }];
}

/** Replaces the addresses before VitePress looks whether they lead to a page. Names of files are not taken for hosts (`app.ts`). */
function withAddresses(md) {
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  md.core.ruler.push('addresses', ({ tokens, env }) => {
    const page = sourceOf(env.realPath ?? env.path);
    if (page === undefined) return;
    for (const token of tokens.filter(({ type }) => type === 'html_block')) token.content = asTwoPictures(page, token.content);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') token.attrSet('href', addressOf(page, token.attrGet('href')));
      if (token.type === 'image') token.attrSet('src', pictureOf(page, token.attrGet('src')));
    }
  });
}

/**
 * A `<picture>` follows the system, and the site has a switch: so both pictures are on the page, and style.css shows one. What is
 * between `<picture>` and its end has this one form.
 */
function asTwoPictures(page, html) {
  const form =
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g;
  const img = (scheme, src, alt) => `<img class="only-${scheme}" alt="${alt}" src="./${pictureOf(page, src)}">`;
  return html.replace(form, (_all, dark, alt, light) => img('light', light, alt) + img('dark', dark, alt));
}

/** Search finds pages that people have written. */
function renderForSearch(text, env, md) {
  return sourceOf(env.path) === undefined ? '' : md.render(text, env);
}

/** Small words would find nearly every page. It runs in the browser: nothing of this file is there. */
function searched(term) {
  return /^(?:a|an|and|at|be|by|do|for|how|in|is|it|of|on|or|the|to|what|when|which|who|with)$/i.test(term)
    ? null
    : term.toLowerCase();
}

/** Pages that explain come before those that list everything. VitePress hands the text of this function to the browser. */
function boost(id) {
  if (/^\/(?:decisions|upstream|incidents)\/|^\/changelog\b/.test(id)) return 0.2;
  return /^\/(?:promises|bundle-format|commands|configuration)\b/.test(id) ? 0.5 : 1;
}
