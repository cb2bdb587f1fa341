/** Draws lines of a terminal as an SVG picture that plays by itself: a line after the other, the window scrolls. */
const COLUMNS = 100;
const ROWS = 26;
const LINE_PX = 18;
const CHAR_PX = 7.7;
const PADDING_PX = 16;
/** Seconds before a line appears, by its kind: a command is read, output is seen. */
const PAUSES = { words: 1.6, command: 1.2, output: 0.12 };
const READING_SECONDS = 1.8;
const END_SECONDS = 6;

const STYLE = `
text { font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d5d9e0; white-space: pre; }
.command { fill: #ffffff; font-weight: 700; }
.words { fill: #7fd1ae; font-style: italic; }
`;

/**
 * @param {{ kind: 'words' | 'command' | 'output', text: string }[]} lines
 * @returns {string} the file
 */
export function drawFilm(lines) {
  const rows = timed(lines);
  const total = rows.at(-1).at + END_SECONDS;
  const percent = (seconds) => `${((100 * seconds) / total).toFixed(3)}%`;
  const width = Math.ceil(COLUMNS * CHAR_PX + 2 * PADDING_PX);
  const height = ROWS * LINE_PX + 2 * PADDING_PX;
  const texts = rows.map(
    ({ kind, text }, index) =>
      `<text class="${kind} l${index}" x="${PADDING_PX}" y="${PADDING_PX + LINE_PX * (index + 0.8)}" xml:space="preserve">${escaped(text)}</text>`,
  );
  const appear = rows.map(
    ({ at }, index) =>
      `@keyframes l${index} { 0% { visibility: hidden } ${percent(at)} { visibility: visible } 100% { visibility: visible } }\n` +
      `.l${index} { animation: l${index} ${total.toFixed(2)}s steps(1) infinite }`,
  );
  const scroll = rows.flatMap(({ at }, index) =>
    index < ROWS ? [] : [`${percent(at)} { transform: translateY(-${(index - ROWS + 1) * LINE_PX}px) }`],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: an agent wants to pay, its worker is killed, a person approves, the payment happens once, and its record is verified.">
<style>${STYLE}@keyframes scroll { 0% { transform: translateY(0) } ${scroll.join(' ')} }
.scroll { animation: scroll ${total.toFixed(2)}s steps(1) infinite }
${appear.join('\n')}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#16191f"/>
<clipPath id="window"><rect x="0" y="${PADDING_PX / 2}" width="${width}" height="${height - PADDING_PX}"/></clipPath>
<g clip-path="url(#window)"><g class="scroll">
${texts.join('\n')}
</g></g>
</svg>
`;
}

/** Rows as wide as the window, each with the second at which it appears. */
function timed(lines) {
  const rows = [];
  let at = 0;
  let before = 'words';
  for (const { kind, text } of lines) {
    at += PAUSES[kind] + (before === 'output' && kind !== 'output' ? READING_SECONDS : 0);
    before = kind;
    if (kind !== 'output' && rows.length > 0) rows.push({ kind: 'output', text: '', at });
    const shown = kind === 'command' ? `$ ${text}` : kind === 'words' ? `# ${text}` : text;
    for (let from = 0; from === 0 || from < shown.length; from += COLUMNS)
      rows.push({ kind, text: shown.slice(from, from + COLUMNS), at });
  }
  return rows;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
