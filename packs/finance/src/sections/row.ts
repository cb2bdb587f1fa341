/**
 * Joins the cells of a table row into one line of text: `Total net sales | 391,035 | 383,285`. Filings put `$`, `)` and `%` into
 * separate cells and space columns with empty cells; this file joins them again.
 */

const OPENS_NUMBER = /^(?:[A-Z]{0,3}[$€£¥]|\(|[$€£¥]\()$/;
const CLOSES_NUMBER = /^[)%]{1,2}(?:\(\d{1,2}\))?$/;
const BULLET = /^(?:[•●○◦▪■□–—*·\-o\u00a7\u00b7\uf0b7]|\(?[\da-z]{1,3}[.)])$/;

/** @param cells texts of the non-empty cells, in order */
export function joinCells(cells: string[]): string {
  if (cells.length === 2 && BULLET.test(cells[0]!)) return cells.join(' ');
  const parts: string[] = [];
  let prefix = '';
  for (const cell of cells) {
    if (OPENS_NUMBER.test(cell)) prefix += cell;
    else if (CLOSES_NUMBER.test(cell) && parts.length > 0 && !prefix) parts[parts.length - 1] += cell;
    else {
      parts.push(prefix + cell);
      prefix = '';
    }
  }
  if (prefix) parts.push(prefix);
  return parts.join(' | ');
}
