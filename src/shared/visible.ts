/**
 * Untrusted text, made safe to show to the person who decides: nothing invisible, nothing that
 * reorders what is read, nothing that Markdown would turn into a link, an image or a heading.
 */

/** Controls, format characters, odd spaces, private use, tags: everything that a reader could not see or be misled by. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115F\u1160\u3164\uFFA0\u034F\u17B4\u17B5\u180B-\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u2800]/gu;

/** Invisible characters as ⟨U+200B⟩; line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (char) => {
    if (char === '\n' || char === '\t') return char;
    return `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function fenced(text: string): string {
  const shown = visible(text);
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/** One line of inline code; cut at 200 characters. */
export function inlineCode(text: string): string {
  const line = visible(text)
    .replace(/[\n\t]/g, ' ')
    .replace(/`/g, 'ˋ')
    .trim();
  const cut = [...line].slice(0, 200).join('');
  return `\`${cut === '' ? ' ' : cut}${cut.length < line.length ? '…' : ''}\``;
}
