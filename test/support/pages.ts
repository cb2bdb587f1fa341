/** The pages that people read: the README, docs/, and the READMEs of packages, packs, examples and templates. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './named-tests';

const FOLDERS = ['clients', 'docs', 'docs/incidents', 'examples', 'packages', 'packages/create-holdfast/templates', 'packs'];

/** Paths below the root. */
export const PAGES: readonly string[] = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...FOLDERS.flatMap(pagesIn),
];

function pagesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/README.md` : entry.name));
  return names.map((name) => `${folder}/${name}`).filter((page) => page.endsWith('.md') && existsSync(join(ROOT, page)));
}

/** What stands between two fences. */
interface Block {
  /** `page:line`. */
  at: string;
  language: string;
  text: string;
}

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n(.*?)^\1```$/gms)].map(({ 2: language, 3: body, index }) => ({
    at: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    language: language!,
    text: body!,
  }));
}
