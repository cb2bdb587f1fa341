/** EDGAR's list of tickers: by ticker, and by what a search text calls a company. */
import type { Company } from '../data';
import { isCommonWord, isTopic, mayBeTicker, NAME_FILLERS, wordsOf } from '../news';

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
          .map((word) => word.toLowerCase())
          .filter((word) => !LEGAL.has(word)),
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
   * The companies that a text names: a whole name, a ticker in capitals, or, where there is neither, the
   * first word of a name with a capital letter, which then stands for the largest such company, unless another name stands beside it.
   * A ticker that is a word too (A, ALL, CEO) counts where nothing else is named.
   */
  namedIn(text: string): { named: Company[]; words: string[] } {
    const written = wordsOf(text);
    const words = written.map((word) => word.toLowerCase());
    const used = new Set<number>();
    const named = new Set<Company>();
    const take = (listed: Listed, at: number, length: number) => {
      named.add(listed.company);
      for (let i = at; i < at + length; i++) used.add(i);
    };
    const tickerAt = (at: number) => (mayBeTicker(written[at]!) ? this.byTicker.get(written[at]!) : undefined);
    for (const [at, word] of words.entries()) {
      if (used.has(at)) continue;
      const byTicker = isCommonWord(word) ? undefined : tickerAt(at);
      const whole = this.longestNameAt(words, at);
      if (whole && (whole.name.length > 1 || !byTicker)) take(whole, at, whole.name.length);
      else if (byTicker) take(byTicker, at, 1);
    }
    if (named.size === 0) {
      for (const at of words.keys()) {
        const byTicker = tickerAt(at);
        if (byTicker) take(byTicker, at, 1);
      }
    }
    if (named.size === 0) {
      for (const [at, word] of words.entries()) {
        const alone =
          isCapital(written[at]) && ![at - 1, at + 1].some((beside) => isCapital(written[beside]) && !isTopic(written[beside]!));
        const [largest] = alone ? (this.byFirstWord.get(word) ?? []) : [];
        if (largest) take(largest, at, 1);
      }
    }
    return {
      named: [...named].slice(0, MOST_NAMED),
      words: written.filter((_word, at) => !used.has(at) && !LEGAL.has(words[at]!)),
    };
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
