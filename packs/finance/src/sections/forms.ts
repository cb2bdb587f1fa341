/**
 * The items of Form 10-K and Form 10-Q in their order, as the SEC's forms list them (Form 10-K, Form 10-Q, General Instructions),
 * with words that identify each title. Titles differ between filers; these words do not.
 */
export type PeriodicForm = '10-K' | '10-Q';

export interface FormItem {
  /** As it is cited: `Item 7`, and with its part where numbers repeat, `Part I, Item 2`. */
  name: string;
  part: 1 | 2 | 3 | 4;
  /** `7`, `7A`. */
  number: string;
  /** The title contains one of these, in lower case and without punctuation. */
  words: string[];
}

const TEN_K = `
1 1  business
1 1A risk factors
1 1B unresolved staff
1 1C cybersecurity
1 2  properties
1 3  legal proceedings
1 4  mine safety|submission of matters|reserved
1 4A executive officers
2 5  market for
2 6  selected|reserved
2 7  management s discussion|discussion and analysis
2 7A quantitative and qualitative|market risk
2 8  financial statements
2 9  changes in and disagreements|disagreements with accountants
2 9A controls and procedures
2 9B other information
2 9C foreign jurisdictions
3 10 directors
3 11 executive compensation
3 12 security ownership
3 13 certain relationships
3 14 principal account
4 15 exhibit
4 16 summary`;

const TEN_Q = `
1 1  financial statements|financial information
1 2  management s discussion|discussion and analysis
1 3  quantitative and qualitative|market risk
1 4  controls and procedures
2 1  legal proceedings
2 1A risk factors
2 2  unregistered|purchases of|changes in securities
2 3  defaults
2 4  mine safety|submission of matters|reserved
2 5  other information
2 6  exhibit`;

export const FORM_ITEMS: Record<PeriodicForm, FormItem[]> = {
  '10-K': items(TEN_K, (_part, number) => `Item ${number}`),
  '10-Q': items(TEN_Q, (part, number) => `Part ${'I'.repeat(part)}, Item ${number}`),
};

function items(table: string, name: (part: number, number: string) => string): FormItem[] {
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [part, number, ...words] = row.split(/ +/);
      const partNumber = Number(part) as FormItem['part'];
      return { name: name(partNumber, number!), part: partNumber, number: number!, words: words.join(' ').split('|') };
    });
}

/** Lower-case letters and digits, one space between words: titles are compared in this form. */
export function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
