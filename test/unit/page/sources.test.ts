/** What a model, a tool or a person wrote is shown as text. No source of the page can make markup of a text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '../../../packages/page/src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

const FORBIDDEN = [
  /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|createContextualFragment|DOMParser|setHTMLUnsafe/i,
  /document\.write|\beval\(|new Function|javascript:/,
  /localStorage|sessionStorage|indexedDB/,
];

it.each(sources)('%s makes no markup of text, runs no text, and keeps nothing in the browser', (name) => {
  const text = readFileSync(join(SRC, name), 'utf8');
  for (const pattern of FORBIDDEN) expect(text).not.toMatch(pattern);
});

it('has no address of another place', () => {
  for (const name of sources) expect(readFileSync(join(SRC, name), 'utf8')).not.toMatch(/['"`](https?:)?\/\/[a-z]/);
});
