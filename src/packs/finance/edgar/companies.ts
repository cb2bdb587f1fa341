/** EDGAR's list of tickers: by ticker, and by what a search text calls a company. */
import type { Company } from '../data';
import { bare, isTopic, NAME_FILLERS, wordsOf } from '../news';

/** A text that seems to name more is about none of them in particular. */
const MOST_NAMED = 3;
/** What a company's legal name has beside the name that people use. */
const LEGAL = new Set([
  ...NAME_FILLERS,
  'com',
  'ltd',
  'limited',
  'plc',
  'llc',
  'lp',
  'sa',
  'nv',
  'ag',
  'se',
  'holdings',
  'group',
]);

interface Listed {
  company: Company;
  /** Its name without the legal words. */
  name: string[];
}

export class CompanyList {
  private readonly byTicker = new Map<string, Listed>();
  private readonly byFirstWord = new Map<string, Listed[]>();

  /** @param rows largest company first, as EDGAR lists them */
  constructor(rows: { ticker: string; cik_str: number; title: string }[]) {
    for (const { ticker, cik_str, title } of rows) {
      const cik = String(cik_str).padStart(10, '0');
      const company = { ticker, name: title, aliases: [], cik, sic: null, sicDescription: null };
      const listed = {
        company,
        name: wordsOf(title)
          .map(bare)
          .filter((word) => word !== '' && !LEGAL.has(word)),
      };
      if (!this.byTicker.has(ticker)) this.byTicker.set(ticker, listed);
      const [first] = listed.name;
      if (first !== undefined) this.byFirstWord.set(first, [...(this.byFirstWord.get(first) ?? []), listed]);
    }
  }

  withTicker(ticker: string): Company | undefined {
    return this.byTicker.get(ticker)?.company;
  }

  /**
   * The companies that a text names: a ticker in capitals, a whole name, or, where there is neither, the
   * first word of a name with a capital letter, which then stands for the largest such company, unless another name stands beside it.
   */
  namedIn(text: string): { named: Company[]; words: string[] } {
    const tokens = text.match(/[\p{L}\p{N}.]+/gu) ?? [];
    const words = tokens.map((token) => bare(token.toLowerCase()));
    const used = new Set<number>();
    const named = new Set<Company>();
    const take = (listed: Listed, at: number, length: number) => {
      named.add(listed.company);
      for (let i = at; i < at + length; i++) used.add(i);
    };
    for (const [at, token] of tokens.entries()) {
      const byTicker = /^[A-Z]{1,5}$/.test(token) ? this.byTicker.get(token) : undefined;
      const whole = this.longestNameAt(words, at);
      if (byTicker) take(byTicker, at, 1);
      else if (whole) take(whole, at, whole.name.length);
    }
    if (named.size === 0) {
      for (const [at, word] of words.entries()) {
        const alone =
          isCapital(tokens[at]) && ![at - 1, at + 1].some((beside) => isCapital(tokens[beside]) && !isTopic(words[beside]!));
        const [largest] = alone ? (this.byFirstWord.get(word) ?? []) : [];
        if (largest) take(largest, at, 1);
      }
    }
    const rest = words.filter((word, at) => !used.has(at) && word !== '' && !LEGAL.has(word));
    return { named: [...named].slice(0, MOST_NAMED), words: rest };
  }

  private longestNameAt(words: string[], at: number): Listed | undefined {
    const fitting = (this.byFirstWord.get(words[at] ?? '') ?? []).filter(({ name }) =>
      name.every((word, i) => words[at + i] === word),
    );
    return fitting.sort((a, b) => b.name.length - a.name.length)[0];
  }
}

function isCapital(token: string | undefined): boolean {
  return token !== undefined && /^\p{Lu}/u.test(token);
}
