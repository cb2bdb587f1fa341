/**
 * Three filings as filed. Beginnings and ends were read from the HTML by hand; lengths are compared with a second
 * reading by other means (test/support/anchored-sections.ts).
 */
import { readSections, type SectionName, type SectionText } from '../../../../../packs/finance/src/sections';
import { AnchoredFiling, squeezed } from '../../../../support/anchored-sections';
import { readRecorded, recordedData } from '../../../../support/recorded-data';

interface Expected {
  items: string[];
  begins: string;
  ends: string;
  /** Texts of the items before and after it, which it must not have. */
  lacks: string[];
  /** The same text by anchors, as pairs of table rows. */
  anchored: (filing: AnchoredFiling) => string;
}

type Filing = [file: string, form: '10-K' | '10-Q', sections: Record<SectionName, Expected>];

const slice = (from: string, to: string) => (filing: AnchoredFiling) => {
  const start = filing.entry(from);
  return filing.between(start, filing.entry(to, start));
};

const FILINGS: Filing[] = [
  [
    'aapl-10-k-2024-11-01',
    '10-K',
    {
      'MD&A': {
        items: ['Item 7'],
        begins: 'The following discussion should be read in conjunction with the consolidated',
        ends: 'material impact on the Company’s financial condition and operating results.',
        lacks: ['[Reserved]', 'The Company is exposed to economic risk from interest rates', 'Item 7A.'],
        anchored: slice('Item 7.', 'Item 7A.'),
      },
      'Risk Factors': {
        items: ['Item 1A'],
        begins: 'The Company’s business, reputation, results of operations, financial condition and stock price',
        ends: 'material adverse impact on investor confidence and employee retention.',
        lacks: ['inactive textual references only', 'Unresolved Staff Comments', 'Head of Corporate Information Security'],
        anchored: slice('Item 1A.', 'Item 1B.'),
      },
      Financials: {
        items: ['Item 8'],
        begins: 'Index to Consolidated Financial Statements',
        ends: '/s/ Ernst & Young LLP\nSan Jose, California\nNovember 1, 2024',
        lacks: ['which were excluded from the assessment', 'Changes in and Disagreements with Accountants'],
        anchored: slice('Item 8.', 'Item 9.'),
      },
    },
  ],
  [
    'aapl-10-q-2025-08-01',
    '10-Q',
    {
      'MD&A': {
        items: ['Part I, Item 2'],
        begins: 'This Item and other sections of this Quarterly Report on Form 10-Q',
        ends: 'critical accounting estimates since the 2024 Form 10-K.',
        lacks: ['Total operating income | $28,202', 'market risk during the first nine months'],
        anchored: slice('Item 2. Management', 'Item 3. Quantitative'),
      },
      'Risk Factors': {
        items: ['Part II, Item 1A'],
        begins: 'The Company’s business, reputation, results of operations, financial condition and stock price',
        ends: 'no material changes to the Company’s risk factors since the 2024 Form 10-K.',
        lacks: ['for that reporting period could be materially adversely affected', 'Unregistered Sales'],
        anchored: slice('Item 1A.', 'Item 2. Unregistered'),
      },
      Financials: {
        items: ['Part I, Item 1'],
        begins: 'Apple Inc.\nCONDENSED CONSOLIDATED STATEMENTS OF OPERATIONS (Unaudited)',
        ends: 'Total operating income | $28,202 | $25,352 | $100,623 | $93,625',
        lacks: ['Exhibits', 'This Item and other sections'],
        anchored: slice('Item 1. Financial', 'Item 2. Management'),
      },
    },
  ],
  [
    'nvda-10-k-2025-02-26',
    '10-K',
    {
      'MD&A': {
        items: ['Item 7'],
        begins: 'The following discussion and analysis of our financial condition and results',
        ends: 'for a discussion of adoption of new and recently issued accounting pronouncements.',
        lacks: ['[Reserved]', 'We are exposed to interest rate risk related to our fixed-rate'],
        anchored: slice('Item 7.', 'Item 7A.'),
      },
      'Risk Factors': {
        items: ['Item 1A'],
        begins: 'The following risk factors should be considered in addition to the other',
        ends: 'to cause us to take other corporate actions they desire.',
        lacks: ['are not a part of this Annual Report', 'Unresolved Staff Comments'],
        anchored: slice('Item 1A.', 'Item 1B.'),
      },
      Financials: {
        items: ['Item 8', 'Item 15'],
        begins: 'The information required by this Item is set forth in our Consolidated',
        ends: 'for additional information.\n(4)Represents sales returns.',
        lacks: ['Exhibit Index', 'Form 10-K Summary', 'Evaluation of Disclosure Controls'],
        anchored: (filing) =>
          slice('Item 8.', 'Item 9.')(filing) +
          filing.between(filing.entry('Report of Independent'), filing.entry('The exhibits listed in the accompanying')),
      },
    },
  ],
];

const suite = recordedData ? describe : describe.skip;

suite('sections of recorded filings (needs HOLDFAST_TEST_DATA)', () => {
  describe.each(FILINGS)('%s', (file, form, sections) => {
    const html = recordedData ? readRecorded(`edgar/filings/${file}.html.gz`).toString('utf8') : '';
    const anchored = new AnchoredFiling(html);
    const readings = readSections(html, form);

    it.each(Object.entries(sections) as [SectionName, Expected][])(
      '%s begins and ends where the filing says',
      (name, expected) => {
        const { text, items } = found(readings, name);
        expect(items.map(({ item }) => item)).toEqual(expected.items);
        expect(text.slice(0, expected.begins.length)).toBe(expected.begins);
        expect(text.slice(-expected.ends.length)).toBe(expected.ends);
        for (const phrase of expected.lacks) expect(text).not.toContain(phrase);
      },
    );

    it.each(Object.entries(sections) as [SectionName, Expected][])('%s is as long as a second reading says', (name, expected) => {
      const ours = squeezed(found(readings, name).text).length;
      const theirs = expected.anchored(anchored).length;
      expect(Math.abs(ours / theirs - 1)).toBeLessThan(0.05);
    });

    it('leaves out page numbers, footers, links to the contents, markup and hidden facts', () => {
      for (const name of Object.keys(sections) as SectionName[]) {
        const { text } = found(readings, name);
        expect(text).not.toMatch(/Form 10-[KQ] \| \d+$|^Table of Contents$|^\d{1,2}$/m);
        expect(text).not.toMatch(/<\/?[a-z]|&(?:#\d+|[a-z]+);|\u00a0|us-gaap:/);
      }
    });
  });

  it('reads statements as rows', () => {
    const { text } = found(
      readSections(readRecorded('edgar/filings/aapl-10-k-2024-11-01.html.gz').toString('utf8'), '10-K'),
      'Financials',
    );
    expect(text).toContain('\nTotal net sales | 391,035 | 383,285 | 394,328\n');
    expect(text).toContain('\nNet income | $93,736 | $96,995 | $99,803\n');
    expect(text).toContain('\nOther income/(expense), net | 269 | (565) | (334)\n');
  });
});

function found(readings: ReturnType<typeof readSections>, name: SectionName): SectionText {
  const reading = readings[name];
  if (!('found' in reading)) throw new Error(`${name}: ${JSON.stringify(reading)}`);
  return reading.found;
}
