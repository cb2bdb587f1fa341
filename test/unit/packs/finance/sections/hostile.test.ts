/** Documents made to break the reader: it answers with sections or with a reason, and never with markup. */
import fc from 'fast-check';
import { readExhibitSections, readSections, type SectionReading } from '../../../../../packs/finance/src/sections';
import { runs } from '../../../../support/runs';
import { bold, numbers, p, page, pageBreak, row, table, tenK, type Bodies, TEN_K } from './made-filings';

const filled = (part: string, megabytes = runs(0.3, 1)) => part.repeat(Math.ceil((megabytes * 1_000_000) / part.length));
const all = (html: string): SectionReading[] => [
  ...Object.values(readSections(html, '10-K')),
  ...Object.values(readSections(html, '10-Q')),
  ...Object.values(readExhibitSections(html)),
];

describe('hostile documents', () => {
  it.each(['<div>', '<b>x', '<table><tr><td>x', '<svg><math>'])('refuses megabytes of %s, unclosed and nested', (part) => {
    for (const reading of all(filled(part, runs(2, 10))))
      expect(reading).toEqual({ missing: 'elements are nested more than 1000 deep' });
  });

  it('refuses a document that is too long', () => {
    const html = 'x'.repeat(60_000_001);
    for (const reading of all(html)) expect(reading).toEqual({ missing: expect.stringContaining('60000001 characters') });
  });

  it('reads megabytes of paragraphs', () => {
    const html = page(
      bold('Item 7. Management’s Discussion') +
        filled(p('One paragraph of many.'), runs(2, 10)) +
        bold('Item 8. Financial Statements') +
        p('x'),
    );
    expect(readSections(html, '10-K')['MD&A']).toMatchObject({ found: { text: expect.stringMatching(/^One [^x]* many\.$/) } });
  });

  // Work that grows with the square of the length takes a minute and more here.
  const MOST_CPU_MS = 10_000;
  it.each([
    ['closing tags of nothing, deep inside', '<div>'.repeat(990) + filled('</p></i>')],
    ['cells', `<table><tr>${filled('<td>$</td><td>)</td>')}`],
    ['rows in rows', filled('<tr><td>x')],
    ['tables in tables', filled(`${'<table><tr><td>a'.repeat(300)}${'</td></tr></table>'.repeat(300)}`)],
    ['headings', filled('<p>Item 7. Management’s Discussion</p>')],
    ['headings in wrong order', filled('<p>Item 8.</p><p>Item 1A.</p>')],
    ['dots after a heading', filled(`<p>Item 7.${'.'.repeat(480)}x</p>`)],
    ['one paragraph', `<p>Item 7. ${filled('a. ')}`],
    ['one style', `<p style="${filled('a:b;')}">x`],
    ['page breaks', filled('<hr style="page-break-after:always"><p>1 2 3</p>')],
    ['tags that never end', filled('<')],
    ['references that never end', filled('&amp')],
    ['an unclosed comment', `<!--${filled('-')}`],
    ['titles', filled('<p><b>Balance sheets</b></p><p><b>Signatures</b></p>')],
  ])('reads a long document of %s', (_name, html) => {
    const began = process.cpuUsage();
    for (const reading of Object.values(readSections(html, '10-K'))) expect(Object.keys(reading)).toHaveLength(1);
    for (const reading of Object.values(readExhibitSections(html))) expect(Object.keys(reading)).toHaveLength(1);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(MOST_CPU_MS);
  });

  it('never throws, and never gives markup', () => {
    const secret = 'markupmark';
    const piece = fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<?',
        '</',
        '<td/>',
        '&#0;',
        '&#x110000;',
        '\u0000',
        '\ud800',
      ),
      fc
        .constantFrom(
          'p div tr td table b a h1 li br hr title textarea script style svg math ix:header select template xmp constructor'.split(
            ' ',
          ),
        )
        .chain((names) => fc.tuple(fc.constantFrom(...names), fc.constantFrom('', '/')))
        .map(([name, close]) => `<${close}${name} __proto__="${secret}" data-x="${secret}">`),
      fc.constantFrom(
        'Item 7.',
        'Item 1A. Risk Factors',
        'PART II',
        'Item 8 Financial Statements',
        'See Exhibit 13.',
        'Management’s Discussion',
        'Signatures',
      ),
      fc.constantFrom('<p style="display:none">', '<p style="page-break-before:always">', '<a href="#x">', '<b>'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const reading of all(pieces.join(''))) {
          const text = JSON.stringify(reading);
          expect(text).not.toContain(secret);
          if ('found' in reading) expect(reading.found.text).not.toMatch(/\r|\u00a0|\u200b|\u0000/);
        }
      }),
      { numRuns: runs(300, 2000) },
    );
  });
});

describe('made filings', () => {
  const word = fc.constantFrom('sales', 'rose', 'fell', 'the', 'company', 'in', '2024', 'cash', 'of', '3.5', 'see', 'market');
  const sentence = fc.array(word, { minLength: 3, maxLength: 40 }).map((words) => `We say ${words.join(' ')}.`);
  const body = fc.array(sentence, { minLength: 1, maxLength: 30 });
  const layout = fc.record({
    heading: fc.constantFrom<(number: string, title: string) => string>(
      (number, title) => bold(`Item ${number}. ${title}`),
      (number, title) => p(`ITEM ${number}. ${title.toUpperCase()}`),
      (number, title) => table(row(`Item&nbsp;${number}.`, '', title)),
      (number, title) => `<p>Item ${number}.<br/>${title}</p>`,
    ),
    contents: fc.constantFrom(
      '',
      table(...numbers(TEN_K).map(([number, title, at]) => row(`<a href="#x">Item ${number}.</a>`, title, at))),
      numbers(TEN_K)
        .map(([number, title, at]) => p(`Item ${number}. ${title} ${at}`))
        .join(''),
    ),
    footers: fc.boolean(),
  });

  it('come back complete, for any layout and length', () => {
    fc.assert(
      fc.property(layout, body, body, body, body, ({ heading, contents, footers }, risks, results, statements, other) => {
        let number = 1;
        const paragraphs = (lines: string[]) =>
          lines.map((line) => p(line) + (footers ? p(`Made Inc. | ${number++}`) + pageBreak : '')).join('');
        const bodies: Bodies = {
          ...TEN_K,
          'Item 1': ['Business', paragraphs(other)],
          'Item 1A': ['Risk Factors', paragraphs(risks)],
          'Item 7': [TEN_K['Item 7']![0], paragraphs(results)],
          'Item 8': [TEN_K['Item 8']![0], paragraphs(statements)],
        };
        const sections = readSections(tenK(heading, contents, bodies), '10-K');
        expect(sections).toMatchObject({
          'Risk Factors': { found: { text: risks.join('\n') } },
          'MD&A': { found: { text: results.join('\n') } },
          Financials: { found: { text: statements.join('\n') } },
        });
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('an empty document has no sections', () => {
    for (const reading of [...all(''), ...all(page(''))]) expect(reading).toEqual({ missing: expect.any(String) });
  });
});
