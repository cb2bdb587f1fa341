/** EDGAR's list of companies. It finds a company by its ticker, and the companies that a search text names. */
import type { Company } from '../data';
import { isCapital, isPartOfName, ownWords, positionsOf, type ParsedQuery, type Place } from '../names';
import { isCommonWord, isTopic, mayBeTicker, NAME_FILLERS, wordsIn, wordsOf, type Word } from '../news-query';

/** Companies used: a text that seems to name more is about none in particular. */
const MAX_COMPANIES = 3;
/** Words of a company's legal name that people leave out. */
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

interface IndexedCompany {
  company: Company;
  /** Its name without the legal words. */
  name: string[];
}

type CompanyPlace = Place & { company: Company };

export class CompanyList {
  private readonly byTicker = new Map<string, IndexedCompany>();
  private readonly byFirstWord = new Map<string, IndexedCompany[]>();

  /** @param rows largest company first, as EDGAR lists them */
  constructor(rows: { ticker: string; cik_str: number; title: string }[]) {
    for (const { ticker, cik_str, title } of rows) {
      const cik = String(cik_str).padStart(10, '0');
      const company = { ticker, name: title, aliases: [], cik, sic: null, sicDescription: null };
      const entry = {
        company,
        name: wordsOf(title)
          .map((word) => word.toLowerCase())
          .filter((word) => !LEGAL.has(word)),
      };
      if (!this.byTicker.has(ticker)) this.byTicker.set(ticker, entry);
      const [first] = entry.name;
      if (first !== undefined) this.byFirstWord.set(first, [...(this.byFirstWord.get(first) ?? []), entry]);
    }
  }

  withTicker(ticker: string): Company | undefined {
    return this.byTicker.get(ticker)?.company;
  }

  /**
   * The companies that a text names, by whole name or by ticker in capitals. If there is none, a ticker counts that is also a word
   * (A, ALL, CEO). If there is still none, the first word of a name counts, with a capital letter and no other name beside it: it
   * means the largest such company. A name or ticker that may be part of a longer name does not count.
   */
  namedIn(text: string): ParsedQuery {
    const words = wordsIn(text);
    const places = this.placesIn(words);
    const names = new Set(places.filter(({ ticker }) => !ticker).flatMap(positionsOf));
    const all = new Set(places.flatMap(positionsOf));
    const isWhole = (place: CompanyPlace) => {
      const positions = place.ticker ? all : names;
      return !isPartOfName(words, place, ownWords(place.company), (at) => positions.has(at));
    };
    let whole = places.filter(isWhole);
    if (whole.length === 0) whole = [...words.keys()].flatMap((at) => this.tickerAt(words, at)).filter(isWhole);
    if (whole.length === 0) whole = [...words.keys()].flatMap((at) => this.firstWordAt(words, at));
    const usedPositions = new Set(whole.flatMap(positionsOf));
    const companies = new Set(whole.map(({ company }) => company));
    return {
      named: [...companies].slice(0, MAX_COMPANIES),
      unclear: [...new Set(places.map(({ company }) => company))]
        .filter((company) => !companies.has(company))
        .slice(0, MAX_COMPANIES),
      words: words.filter(({ lower }, at) => !usedPositions.has(at) && !LEGAL.has(lower)).map((word) => word.text),
    };
  }

  /** Whole names, and tickers in capitals that are not common words. */
  private placesIn(words: Word[]): CompanyPlace[] {
    const places: CompanyPlace[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const [byTicker] = isCommonWord(words[at]!.lower) ? [] : this.tickerAt(words, at);
      const whole = this.longestNameAt(words, at);
      const place = whole && (whole.length > 1 || !byTicker) ? whole : byTicker;
      if (place === undefined) continue;
      places.push(place);
      at += place.length - 1;
    }
    return places;
  }

  private tickerAt(words: Word[], at: number): CompanyPlace[] {
    const { text } = words[at]!;
    const entry = mayBeTicker(text) ? this.byTicker.get(text) : undefined;
    return entry ? [{ company: entry.company, at, length: 1, ticker: true }] : [];
  }

  private firstWordAt(words: Word[], at: number): CompanyPlace[] {
    const isName = (beside: number) => isCapital(words[beside]?.text) && !isTopic(words[beside]!.text);
    const alone = isCapital(words[at]!.text) && ![at - 1, at + 1].some(isName);
    const [largest] = alone ? (this.byFirstWord.get(words[at]!.lower) ?? []) : [];
    return largest ? [{ company: largest.company, at, length: 1, ticker: false }] : [];
  }

  private longestNameAt(words: Word[], at: number): CompanyPlace | undefined {
    const fitting = (this.byFirstWord.get(words[at]!.lower) ?? []).filter(({ name }) =>
      name.every((word, i) => words[at + i]?.lower === word),
    );
    const [longest] = fitting.sort((a, b) => b.name.length - a.name.length);
    return longest && { company: longest.company, at, length: longest.name.length, ticker: false };
  }
}
