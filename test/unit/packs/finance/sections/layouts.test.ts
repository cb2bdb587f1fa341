/** Each test is a layout of real filings. */
import { readSections, type SectionName, type SectionReading } from '../../../../../packs/finance/src/sections';
import { type Bodies, bold, numbers, p, page, pageBreak, prose, row, table, TEN_K, tenK } from './made-filings';

const text = (reading: SectionReading) => ('found' in reading ? reading.found.text : reading);
const texts = (html: string, form: '10-K' | '10-Q' = '10-K') =>
  Object.fromEntries(Object.entries(readSections(html, form)).map(([name, reading]) => [name, text(reading)]));

const EXPECTED: Record<SectionName, string> = {
  'MD&A': `For risks see Item 1A. ${prose('results')}`,
  'Risk Factors': prose('risks'),
  Financials: prose('statements'),
};
const plainHeading = (number: string, title: string) => bold(`Item ${number}. ${title}`);

describe('headings', () => {
  const layouts: [string, (number: string, title: string) => string][] = [
    ['bold in one span', plainHeading],
    ['capitals without style', (number, title) => p(`ITEM ${number}. ${title.toUpperCase()}`)],
    ['no-break spaces between number and title', (number, title) => bold(`Item&#160;${number}.&#160;&#160;&nbsp;${title}`)],
    ['number and title in two cells', (number, title) => table(row(`<b>Item ${number}.</b>`, `<b>${title}</b>`))],
    ['number and title in two spans', (number, title) => `<p><b>ITEM</b><b> ${number}</b><span>.</span><i>${title}</i></p>`],
    [
      'words cut by spans',
      (number, title) => `<p><b>It</b><b>em ${number}. ${title.slice(0, 4)}</b><b>${title.slice(4)}</b></p>`,
    ],
    ['number above the title', (number, title) => `<p>Item ${number}.<br>${title}</p>`],
    ['number above the title, without full stop', (number, title) => bold(`Item ${number}`) + bold(title)],
    ['a dash between', (number, title) => p(`Item ${number} — ${title}`)],
    ['a colon after', (number, title) => bold(`Item ${number}: ${title}:`)],
    [
      'the part before the number',
      (number, title) => bold(`Part ${Number.parseInt(number, 10) > 4 ? 'II' : 'I'}, Item ${number}. ${title}`),
    ],
    ['zero-width characters inside', (number, title) => bold(`It\u200bem ${number}.\ufeff ${title.split(' ').join('\u200b ')}`)],
    [
      'a layout table around heading and anchor',
      (number, title) => table(row(table(row(`<a name="i${number}"></a>Item ${number}.`)), '<b>&#160;</b>', title)),
    ],
    ['unclosed elements', (number, title) => `<p><font size=2><b>Item ${number}. ${title}</b></font><p>`],
  ];
  it.each(layouts)('%s', (_name, heading) => expect(texts(tenK(heading))).toEqual(EXPECTED));

  it('names the items as they are cited, with their titles and lengths', () => {
    const reading = readSections(tenK(plainHeading), '10-K')['Risk Factors'];
    expect(reading).toEqual({
      found: {
        text: prose('risks'),
        items: [{ item: 'Item 1A', title: 'Risk Factors', chars: prose('risks').length }],
        notes: [],
      },
    });
  });

  it('takes a text that follows the title in the same line', () => {
    const bodies = { ...TEN_K, 'Item 1A': ['Risk Factors. Not applicable to smaller reporting companies.', ''] } as Bodies;
    expect(texts(tenK((number, title) => p(`<b>Item ${number}.</b> ${title}`), '', bodies))['Risk Factors']).toBe(
      'Not applicable to smaller reporting companies.',
    );
  });

  it('finds an item that is not applicable: it is short, not missing', () => {
    const bodies = { ...TEN_K, 'Item 1A': ['Risk Factors', p('Omitted.')] } as Bodies;
    expect(texts(tenK(plainHeading, '', bodies))['Risk Factors']).toBe('Omitted.');
  });

  it('is not misled by cross references at the beginning of a line', () => {
    const bodies = {
      ...TEN_K,
      'Item 7': [
        TEN_K['Item 7']![0],
        p(prose('results')) +
          p('Item 1A of this report describes risks.') +
          p('Item 8, “Financial Statements,” has the figures.') +
          p('Item 1A. Risk Factors – Operations describes more.') +
          p('The end of results.'),
      ],
    } as Bodies;
    const sections = texts(tenK(plainHeading, '', bodies));
    expect(sections['MD&A']).toMatch(
      /^Sentence 1 about results.*\nItem 1A of this.*\nItem 8, “Fin.*\nItem 1A\. Risk Fac.*\nThe end of results\.$/s,
    );
    expect(sections.Financials).toBe(EXPECTED.Financials);
    expect(sections['Risk Factors']).toBe(EXPECTED['Risk Factors']);
  });
});

describe('tables of contents', () => {
  const entries = numbers(TEN_K);
  const contents: [string, string][] = [
    [
      'rows with links',
      table(...entries.map(([number, title, at]) => row(`<a href="#i${number}">Item ${number}.</a>`, title, at))),
    ],
    ['lines with page numbers', entries.map(([number, title, at]) => p(`Item ${number}. ${title} ........ ${at}`)).join('')],
    ['lines without page numbers', entries.map(([number, title]) => p(`Item ${number}. ${title}`)).join('')],
    [
      'number, title and page on lines of their own',
      entries.map(([number, title, at]) => p(`Item ${number}.`) + p(title) + p(at)).join(''),
    ],
    ['twice', [1, 2].map(() => table(...entries.map(([number, title, at]) => row(`Item ${number}.`, title, at)))).join('')],
  ];
  it.each(contents)('%s', (_name, html) => expect(texts(tenK(plainHeading, html))).toEqual(EXPECTED));

  it('headings may themselves link back to the contents', () => {
    const html = tenK((number, title) => bold(`<a href="#toc">Item ${number}. ${title}</a>`), contents[0]![1]);
    expect(texts(html)).toEqual(EXPECTED);
  });

  it('an index of items and pages alone is not a section: a section with its own title is found by that title', () => {
    const index = table(row('Item 1A.', 'Risk Factors', '26-33'), row('Item 7.', 'Management’s Discussion and Analysis', '5-25'));
    const html = page(index + bold('RISK FACTORS') + p(prose('risks')) + bold('SIGNATURES') + p('Signed.'));
    const sections = readSections(html, '10-K');
    expect(sections['Risk Factors']).toMatchObject({
      found: { notes: [expect.stringMatching(/Item 1A has no heading of its own/)] },
    });
    expect(text(sections['Risk Factors'])).toBe(`RISK FACTORS\n${prose('risks')}`);
    expect(sections['MD&A']).toEqual({ missing: expect.stringMatching(/Item 7 is only listed/) });
    expect(sections.Financials).toEqual({ missing: 'the document has no Item 8' });
  });
});

describe('pages', () => {
  const paged = (footer: (n: number) => string, header = '') => {
    let n = 20;
    return (number: string, title: string) => footer(++n) + pageBreak + header + footerless(number, title);
  };
  const footerless = plainHeading;

  it.each<[string, (n: number) => string]>([
    ['alone', (n) => p(`${n}`)],
    ['between dashes', (n) => p(`- ${n} -`)],
    ['in a footer with the form', (n) => p(`Made Inc. | 2024 Form 10-K | ${n}`)],
    ['on facing pages', (n) => p(n % 2 ? `${n} Made Inc.` : `Annual report, page ${n}`)],
    ['of the financial pages', (n) => p(`F-${n}`)],
  ])('drops page numbers %s', (_name, footer) => expect(texts(tenK(paged(footer)))).toEqual(EXPECTED));

  it('drops running heads and links back to the contents', () => {
    const header = p('Made Inc. and Subsidiaries') + '<p><a href="#toc">Table of Contents</a></p>';
    expect(texts(tenK(paged((n) => p(`${n}`), header)))).toEqual(EXPECTED);
  });

  it('keeps numbers that do not count with the pages', () => {
    const bodies = {
      ...TEN_K,
      'Item 8': [TEN_K['Item 8']![0], p('2024') + pageBreak + p('2023') + pageBreak + p('77')],
    } as Bodies;
    expect(texts(tenK(plainHeading, '', bodies)).Financials).toBe('2024\n2023\n77');
  });

  it('drops headings that a section repeats on each page, and its part', () => {
    const again =
      p('PART II') +
      p('Item 7. Management’s Discussion and Analysis of Financial Condition and Results of Operations (continued)');
    const bodies = {
      ...TEN_K,
      'Item 7': [
        TEN_K['Item 7']![0],
        p('First page.') + pageBreak + again + p(prose('results')) + pageBreak + again + p('Last page.'),
      ],
    } as Bodies;
    const sections = texts(tenK(plainHeading, '', bodies));
    expect(sections['MD&A']).toBe(`First page.\n${prose('results')}\nLast page.`);
    expect(sections.Financials).toBe(EXPECTED.Financials);
  });
});

describe('10-Q', () => {
  const items: [part: string, number: string, title: string, html: string][] = [
    ['I', '1', 'Financial Statements', p(prose('quarterly statements'))],
    ['I', '2', 'Management’s Discussion and Analysis', p(prose('the quarter'))],
    ['I', '3', 'Quantitative and Qualitative Disclosures About Market Risk', p('No changes.')],
    ['I', '4', 'Controls and Procedures', p(prose('controls', 2))],
    ['II', '1', 'Legal Proceedings', p(prose('law'))],
    [
      'II',
      '1A',
      'Risk Factors',
      p('There were no changes since Part I, Item 1A of our annual report on Form 10-K, incorporated herein by reference.'),
    ],
    ['II', '2', 'Unregistered Sales of Equity Securities', p(prose('shares'))],
    ['II', '6', 'Exhibits', p(prose('exhibits', 2))],
  ];
  const expected = {
    Financials: prose('quarterly statements'),
    'MD&A': prose('the quarter'),
    'Risk Factors':
      'There were no changes since Part I, Item 1A of our annual report on Form 10-K, incorporated herein by reference.',
  };
  const part = (name: string) => bold(name === 'I' ? 'PART I — FINANCIAL INFORMATION' : 'PART II. OTHER INFORMATION');
  const body = items.map(
    ([name, number, title, html], i) => (items[i - 1]?.[0] === name ? '' : part(name)) + plainHeading(number, title) + html,
  );
  const contents = table(
    ...items.map(([name, number, title], i) => row(`Part ${name} <a href="#x">Item ${number}.</a>`, title, `${i}`)),
  );

  it('distinguishes the items of Part I from those of Part II', () => {
    const html = page(contents + body.join(''));
    expect(texts(html, '10-Q')).toEqual(expected);
    expect(readSections(html, '10-Q').Financials).toMatchObject({
      found: { items: [{ item: 'Part I, Item 1', title: 'Financial Statements' }] },
    });
    expect(readSections(html, '10-Q')['Risk Factors']).toMatchObject({ found: { items: [{ item: 'Part II, Item 1A' }] } });
  });

  it('does so without part lines, and without known titles', () => {
    expect(texts(page(body.join('').replace(/<div>[^<]*<span[^>]*>PART [^<]*<\/span><\/div>/g, '')), '10-Q')).toEqual(expected);
    const renamed = page(body.join('').replace('Management’s Discussion and Analysis', 'Review of the Quarter'));
    expect(texts(renamed, '10-Q')['MD&A']).toBe(expected['MD&A']);
  });

  it('says so where the filing has no such item', () => {
    expect(readSections(page(body.slice(0, 4).join('')), '10-Q')['Risk Factors']).toEqual({
      missing: 'the document has no Part II, Item 1A',
    });
  });
});
