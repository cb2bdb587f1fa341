/** Items that refer to another place for their content. */
import { readExhibitSections, readSections } from '../../../../../packs/finance/src/sections';
import { type Bodies, bold, p, page, prose, row, table, TEN_K, tenK } from './made-filings';

const heading = (number: string, title: string) => bold(`Item ${number}. ${title}`);
const statements =
  bold('REPORT OF INDEPENDENT REGISTERED PUBLIC ACCOUNTING FIRM') +
  p(prose('the audit')) +
  bold('CONSOLIDATED BALANCE SHEETS') +
  table(row('Cash', '$', '12'), row('Debt', '', '(3', ')'));

describe('an item that points into the document', () => {
  it('is followed to Item 15, and the section says so', () => {
    const bodies = {
      ...TEN_K,
      'Item 8': [TEN_K['Item 8']![0], p('The information is set forth in Part IV, Item 15 of this report.')],
      'Item 15': [
        TEN_K['Item 15']![0],
        table(row('Report of Independent Registered Public Accounting Firm', '50')) +
          statements +
          bold('Exhibit Index') +
          p('List.'),
      ],
    } as Bodies;
    const reading = readSections(tenK(heading, '', bodies), '10-K').Financials;
    if (!('found' in reading)) throw new Error(JSON.stringify(reading));
    expect(reading.found.text).toMatch(
      /^The information is set forth.*\nREPORT OF INDEPENDENT.*\n.*\nCONSOLIDATED BALANCE SHEETS\nCash \| \$12\nDebt \| \(3\)$/,
    );
    expect(reading.found.items.map(({ item }) => item)).toEqual(['Item 8', 'Item 15']);
    expect(reading.found.items[1]!.title).toBe('REPORT OF INDEPENDENT REGISTERED PUBLIC ACCOUNTING FIRM');
    expect(reading.found.notes).toEqual([expect.stringContaining('set forth in Part IV, Item 15')]);
  });

  it('is followed to the pages after the signatures', () => {
    const bodies = { ...TEN_K, 'Item 8': [TEN_K['Item 8']![0], p('The statements begin on page F-1.')] } as Bodies;
    const reading = readSections(tenK(heading, '', bodies).replace('</body>', `${statements}</body>`), '10-K').Financials;
    expect(reading).toMatchObject({ found: { items: [{ item: 'Item 8' }, { item: 'after the signatures' }] } });
  });

  it('does not find itself if its title is on a line of its own', () => {
    const bodies = { ...TEN_K, 'Item 8': [TEN_K['Item 8']![0], p('See the pages at the end.')] } as Bodies;
    const html = tenK((number, title) => bold(`Item ${number}`) + bold(title), '', bodies);
    expect(readSections(html, '10-K').Financials).toMatchObject({ found: { text: 'See the pages at the end.', notes: [] } });
  });

  it('stays as it is if the place cannot be found', () => {
    const bodies = { ...TEN_K, 'Item 8': [TEN_K['Item 8']![0], p('See the pages at the end.')] } as Bodies;
    expect(readSections(tenK(heading, '', bodies), '10-K').Financials).toMatchObject({
      found: { text: 'See the pages at the end.', notes: [] },
    });
  });
});

describe('an item that points to an exhibit', () => {
  it.each([
    ['Item 7 is incorporated by reference from Exhibit 13 to this report.', '13'],
    ['Refer to pages 6 through 42 of the 2024 Annual Report to Stockholders, incorporated herein by reference.', '13'],
    ['The discussion is included in Exhibit 99.2 hereto.', '99.2'],
  ])('gives the pointer: %s', (sentence, exhibit) => {
    const bodies = { ...TEN_K, 'Item 7': [TEN_K['Item 7']![0], p(`A first sentence stands here. ${sentence}`)] } as Bodies;
    expect(readSections(tenK(heading, '', bodies), '10-K')['MD&A']).toEqual({ pointer: { exhibit, sentence } });
  });

  it.each(['None. See the agreement in Exhibit 10.5.', 'See our annual report on Form 10-K.'])(
    'not for other documents: %s',
    (sentence) => {
      const bodies = { ...TEN_K, 'Item 1A': ['Risk Factors', p(sentence)] } as Bodies;
      expect(readSections(tenK(heading, '', bodies), '10-K')['Risk Factors']).toMatchObject({ found: { text: sentence } });
    },
  );
});

describe('an exhibit', () => {
  const exhibit = page(
    table(row('Management Discussion', '2'), row('Report of Independent Registered Public Accounting Firm', '9')) +
      bold('MANAGEMENT DISCUSSION AND ANALYSIS'.replace('MENT ', 'MENT’S ')) +
      p(prose('the year')) +
      bold('REPORT OF MANAGEMENT') +
      p(prose('duties', 2)) +
      statements +
      bold('FIVE-YEAR COMPARISON') +
      p('Older figures.'),
  );

  it('is read by its headings', () => {
    const sections = readExhibitSections(exhibit);
    expect(sections['MD&A']).toEqual({
      found: {
        text: prose('the year'),
        items: [{ item: 'Exhibit', title: 'MANAGEMENT’S DISCUSSION AND ANALYSIS', chars: prose('the year').length }],
        notes: [],
      },
    });
    expect(sections.Financials).toMatchObject({ found: { text: expect.stringMatching(/the audit[^]*Debt \| \(3\)$/) } });
    expect(sections['Risk Factors']).toEqual({ missing: 'the exhibit has no heading of Risk Factors' });
  });
});
