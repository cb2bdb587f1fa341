/** Filings made by hand, small, in the layouts that vendors use. Bodies are long enough to be distinguished from contents. */

/** `n` sentences that no other body has. */
export const prose = (about: string, n = 12) =>
  Array.from({ length: n }, (_, i) => `Sentence ${i + 1} about ${about} says what it says.`).join(' ');

export const page = (body: string) => `<html><head><title>made</title></head><body>${body}</body></html>`;
export const p = (text: string) => `<p>${text}</p>`;
export const bold = (text: string) => `<div><span style="font-weight:700">${text}</span></div>`;
export const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
export const table = (...rows: string[]) => `<table>${rows.join('')}</table>`;
export const pageBreak = '<hr style="page-break-after:always"/>';

/** Items of a 10-K, with what stands under them. */
export type Bodies = Record<string, [title: string, html: string]>;

export const TEN_K: Bodies = {
  'Item 1': ['Business', p(prose('business'))],
  'Item 1A': ['Risk Factors', p(prose('risks'))],
  'Item 1B': ['Unresolved Staff Comments', p('None.')],
  'Item 2': ['Properties', p(prose('properties', 2))],
  'Item 7': [
    'Management’s Discussion and Analysis of Financial Condition and Results of Operations',
    p(`For risks see Item 1A. ${prose('results')}`),
  ],
  'Item 7A': ['Quantitative and Qualitative Disclosures About Market Risk', p('Not applicable.')],
  'Item 8': ['Financial Statements and Supplementary Data', p(prose('statements'))],
  'Item 9': ['Changes in and Disagreements with Accountants', p('None.')],
  'Item 15': ['Exhibits and Financial Statement Schedules', p(prose('exhibits', 3))],
};

/** A 10-K whose headings are set as `heading` says, after `contents`. */
export function tenK(heading: (number: string, title: string) => string, contents = '', bodies: Bodies = TEN_K): string {
  const items = Object.entries(bodies).map(([item, [title, html]]) => heading(item.slice('Item '.length), title) + html);
  return page(contents + items.join('') + bold('SIGNATURES') + p('Signed by A. Person.'));
}

export const numbers = (bodies: Bodies) =>
  Object.entries(bodies).map(([item, [title]], i) => [item.slice('Item '.length), title, `${i * 4 + 3}`] as const);
