/** Extracts title and plain text of a document: Markdown and text unchanged, HTML as a person would read it. */
import { Parser } from 'htmlparser2';

export interface DocumentText {
  title: string;
  text: string;
}

/** Endings of the files that are searched. */
export const ENDINGS = ['.md', '.markdown', '.txt', '.html', '.htm'];
/** The parser's work for a closing tag grows with the depth. With bounded depth, time is linear in the length. */
const MAX_DEPTH = 500;
const MAX_TITLE = 200;

/** @returns null for HTML that is nested too deeply to be read */
export function documentText(path: string, content: string): DocumentText | null {
  const plain = content
    .toWellFormed()
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
  const document = /\.html?$/i.test(path) ? fromHtml(plain) : { title: firstHeading(plain, path), text: plain };
  if (document === null) return null;
  const title = document.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed();
  return { title: title === '' ? fileName(path) : title, text: document.text };
}

function firstHeading(text: string, path: string): string {
  const start = text.slice(0, 5000);
  if (/\.txt$/i.test(path)) return start.split('\n').find((line) => line.trim() !== '') ?? '';
  return /^#{1,6}[ \t]+(\S.*)$/m.exec(start)?.[1] ?? '';
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const UNREAD = new Set(['script', 'style', 'template', 'noscript', 'svg', 'head']);
const INLINE = new Set('a abbr b bdi bdo cite code em i kbd mark q s samp small span strong sub sup time u var wbr'.split(' '));

function fromHtml(html: string): DocumentText | null {
  const parts: string[] = [];
  let title = '';
  let depth = 0;
  let unread = 0;
  let inTitle = false;
  let tooDeep = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (++depth > MAX_DEPTH) {
          tooDeep = true;
          parser.pause();
        }
        if (UNREAD.has(name)) unread += 1;
        if (name === 'title') inTitle = true;
        if (!INLINE.has(name)) parts.push('\n');
      },
      ontext(text) {
        if (inTitle) title += text;
        else if (unread === 0) parts.push(text);
      },
      onclosetag(name) {
        depth -= 1;
        if (UNREAD.has(name)) unread -= 1;
        if (name === 'title') inTitle = false;
        if (!INLINE.has(name)) parts.push('\n');
      },
    },
    { decodeEntities: true },
  );
  // In pieces, so that the rest of a rejected document is not parsed.
  for (let at = 0; at < html.length && !tooDeep; at += 16_384) parser.write(html.slice(at, at + 16_384));
  if (tooDeep) return null;
  parser.end();
  const lines = parts
    .join('')
    .split('\n')
    .map((line) => line.replace(/[ \t\u00a0]+/g, ' ').trim());
  return { title, text: lines.filter((line) => line !== '').join('\n') };
}
