/** Draws the timeline as a picture. Shapes and signs carry the meaning; colours only help. */
import { escapeHtml } from '../../shared/text/visible';
import { scaleOf, type Scale } from './scale';
import type { Bar, Mark, Row } from './spans';
import { duration } from './format-values';

const LABELS = 210;
const HEIGHT = 26;
const TOP = 30;
const LONGEST_LABEL = 30;

/** @param id prefix of the picture's ids: the page has others */
export function svg(rows: readonly Row[], id: string, label: string): string {
  const scale = scaleOf(rows);
  const width = LABELS + scale.width + 40;
  const height = TOP + rows.length * HEIGHT + 12;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width)}" height="${height}" viewBox="0 0 ${Math.round(width)} ${height}" role="group" aria-label="${escapeHtml(label)}">`,
    `<defs><pattern id="${id}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6" stroke-width="3"/></pattern></defs>`,
    ...scale.ticks.map((tick) => axis(tick, height)),
    ...rows.map((row, index) => rowOf(row, TOP + index * HEIGHT, scale, id)),
    '</svg>',
  ].join('');
}

function axis({ x, after }: Scale['ticks'][number], height: number): string {
  const at = LABELS + x;
  return `<line class="grid" x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${height - 6}"/><text class="tick" x="${at}" y="${TOP - 13}">+${escapeHtml(duration(after))}</text>`;
}

function rowOf({ label, to, bars, marks }: Row, top: number, scale: Scale, id: string): string {
  const shortLabel = [...label].length > LONGEST_LABEL ? `${[...label].slice(0, LONGEST_LABEL - 1).join('')}…` : label;
  const text = `<text x="4" y="${top + 17}">${escapeHtml(shortLabel)}</text>`;
  const name = to === null ? text : `<a href="#${to}">${text}</a>`;
  return `<g>${name}${bars.map((bar) => barOf(bar, top, scale, id)).join('')}${marks.map((mark) => markOf(mark, top, scale)).join('')}</g>`;
}

function barOf({ kind, from, to, says, takenBack }: Bar, top: number, scale: Scale, id: string): string {
  const x = LABELS + scale.x(from);
  const width = Math.max(3, scale.x(to) - scale.x(from));
  const title = `<title>${escapeHtml(says)}</title>`;
  const shape = (y: number, height: number, more: string) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="2" ${more}>${title}</rect>`;
  if (takenBack) return shape(top + 6, 14, 'class="lost"');
  if (kind === 'wait') return shape(top + 6, 14, `class="wait" fill="url(#${id}-hatch)"`);
  if (kind === 'retry') return shape(top + 10, 6, 'class="retry"');
  if (kind === 'admit') return shape(top + 9, 8, 'class="run"');
  return shape(top + 5, 16, `class="${kind}"`);
}

function markOf({ kind, at, sign, says }: Mark, top: number, scale: Scale): string {
  const x = LABELS + scale.x(at);
  const y = top + 13;
  const round = kind === 'effect' || kind === 'trouble';
  const shape = round
    ? `<circle class="mark ${kind}" cx="${x}" cy="${y}" r="8.5"/>`
    : `<rect class="mark ${kind}" x="${x - 8}" y="${y - 8}" width="16" height="16" rx="3"/>`;
  return `<g><title>${escapeHtml(says)}</title>${shape}<text class="sign" x="${x}" y="${y + 4}">${escapeHtml(sign)}</text></g>`;
}
