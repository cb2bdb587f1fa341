/**
 * Makes untrusted text safe to show to the person who decides: nothing invisible, nothing that reorders the text, nothing that
 * Markdown would turn into a link, an image or a heading.
 */

/** Controls, format characters, odd spaces, private use, tags: everything that a reader cannot see, or that misleads. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115F\u1160\u3164\uFFA0\u034F\u17B4\u17B5\u180B-\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u2800]/gu;

/** Writes invisible characters as ⟨U+200B⟩; line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (char) => {
    if (char === '\n' || char === '\t') return char;
    return `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function fenceText(text: string): string {
  const visibleText = visible(text);
  let longest = 2;
  for (const [run] of visibleText.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${visibleText}\n${fence}`;
}

/** One line of inline code; cut at 200 characters. */
export function inlineCode(text: string): string {
  return inlineCodeUpTo(200, text);
}

/** The same, cut at `most` characters. */
export function inlineCodeUpTo(most: number, text: string): string {
  const line = visible(text)
    .replace(/[\n\t]/g, ' ')
    .replace(/`/g, 'ˋ')
    .trim();
  const cut = [...line].slice(0, most).join('');
  return `\`${cut === '' ? ' ' : cut}${cut.length < line.length ? '…' : ''}\``;
}

/**
 * Characters that nobody sees: two names that differ only by them are one name. The list does not depend on Node's version of
 * Unicode, so that every verifier has the same list and a new Node changes no verdict. docs/bundle-format.md and
 * packages/verify/python/verify_bundle.py have it too.
 * General category Cf, Cc except white space, Default_Ignorable_Code_Point, and what is drawn as nothing (U+2800, U+16FE4,
 * U+1D159).
 */
export const UNSEEN_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x0, 0x8],
  [0xe, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x16fe4, 0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const code = (point: number) => `\\u{${point.toString(16)}}`;

const UNSEEN = new RegExp(`[${UNSEEN_RANGES.map(([from, to]) => `${code(from)}-${code(to)}`).join('')}]`, 'gu');

export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '');
}

/** A text that no list can be searched for. */
export class UnsearchableText extends TypeError {
  override readonly name = 'UnsearchableText';
}

/**
 * The databases behind Temporal's lists refuse a NUL, and the server retries until its deadline. No name of ours has one of these
 * characters.
 */
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws UnsearchableText for a text that a database cannot take */
export function searchable(text: string): string {
  if (!CONTROL.test(text) && text.isWellFormed()) return text;
  const excerpt = JSON.stringify(text.slice(0, 100));
  throw new UnsearchableText(
    `${excerpt} has a control character or half a character, which no list can be asked for. Leave it out.`,
  );
}

/** A text as a literal of Temporal's list filter. @throws UnsearchableText */
export function visibilityText(text: string): string {
  return `'${searchable(text).replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

/**
 * One word for a shell: other people choose names, and users paste what we print. A word that no shell interprets gets no quotes.
 */
export function shellWord(text: string): string {
  return /^[\w.:,@+/-][\w=.:,@+/-]*$/.test(text) ? text : `'${visible(text).replaceAll("'", "'\\''")}'`;
}

// Plain file names, of any text: for downloads, headers and pages.

const LONGEST_NAME = 120;
/** Path separators, characters reserved by Windows, control and format characters (a right-to-left mark can fake an ending). */
const NOT_IN_NAMES = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A plain file name: no path, no control characters, never empty, never hidden. */
export function safeFilename(name: string): string {
  const plain = String(name).slice(0, 1000).normalize('NFC').replace(NOT_IN_NAMES, '_').trim().replace(/^\.+/, '');
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  const cut = plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME - ending.length).toWellFormed()}${ending}` : plain;
  return cut === '' ? 'file' : cut;
}

/** The header by which a browser saves an answer as a file. RFC 6266: a plain name for old clients, the whole one in UTF-8 for the others. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^A-Za-z0-9 ._-]/g, '_');
  const encodedName = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodedName}`;
}

/** Makes text safe for HTML and quoted attributes. Characters that are invisible, or reverse the reading order, become visible. */
export function escapeHtml(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
