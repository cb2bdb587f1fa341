/** What a model, a tool or a person wrote is shown as text. No source of the page can make markup of a text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '../../../packages/page/src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

const FORBIDDEN = [
  /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|createContextualFragment|DOMParser|setHTMLUnsafe/i,
  /document\.write|\beval\(|new Function|javascript:/,
  /sessionStorage|indexedDB|caches\b/,
];

/** The one source that keeps something: whether keys of one character are on. */
const KEEPS_A_SWITCH = join('state', 'single-keys.ts');
const SWITCH = ["localStorage.setItem(NAME, on ? 'on' : 'off');", "return localStorage.getItem(NAME) !== 'off';"];

it.each(sources)('%s makes no markup of text and runs no text, and keeps nothing in the browser but a switch', (name) => {
  const text = readFileSync(join(SRC, name), 'utf8');
  for (const pattern of FORBIDDEN) expect(text).not.toMatch(pattern);
  const kept = text.split('\n').filter((line) => line.includes('localStorage'));
  expect(kept.map((line) => line.trim())).toEqual(name === KEEPS_A_SWITCH ? SWITCH : []);
});

it('has no address of another place', () => {
  for (const name of sources) expect(readFileSync(join(SRC, name), 'utf8')).not.toMatch(/['"`](https?:)?\/\/[a-z]/);
});
