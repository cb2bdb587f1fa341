/** HTML → lines: what a person would see, and nothing else. */
import { readLines } from '../../../../../packs/finance/src/sections/lines';
import { row, table } from './made-filings';

const texts = (html: string) => readLines(html).map(({ text }) => text);

describe('text', () => {
  it.each([
    ['paragraphs and breaks', '<p>One</p><div>Two<br>Three<br/>Four</div>', ['One', 'Two', 'Three', 'Four']],
    ['elements inside of a word', '<p><b>Fin</b>ancial</p>', ['Financial']],
    ['entities and no-break spaces', '<p>A&amp;B&#160;&nbsp;&#8217;s&mdash;x</p>', ['A&B ’s—x']],
    ['zero-width and control characters', '<p>a\u200bb\ufeffc\u00add\u0007e\u202ef</p>', ['abcd ef']],
    ['markup that was escaped', '<p>&lt;b&gt; is a tag</p>', ['<b> is a tag']],
    ['bullets glued to their text', '<p>•One</p><p>• Two</p>', ['• One', '• Two']],
    ['unclosed elements', '<div><p>One<p><b>Two<div>Three', ['One', 'Two', 'Three']],
    ['closing tags of nothing', '</div></td></table><p>One</p></p>', ['One']],
  ])('%s', (_name, html, expected) => expect(texts(html)).toEqual(expected));

  it.each([
    '<div style="display:none">x</div>',
    '<div style="color:red; DISPLAY : None !important"><p><b>x</b></p></div>',
    '<ix:header><ix:hidden><ix:nonNumeric>x</ix:nonNumeric></ix:hidden></ix:header>',
    '<head><title>x</title></head>',
    '<script>x</script><style>x</style><template>x</template><textarea><p>x</p></textarea><xmp><p>x</p></xmp>',
    '<!-- x --><![CDATA[x]]><?xml x?>',
  ])('is left out where a page does not show it: %s', (html) => expect(texts(`${html}<p>shown</p>`)).toEqual(['shown']));

  it('keeps the facts of inline XBRL, with their text', () => {
    expect(texts('<p>Sales of <ix:nonFraction name="us-gaap:Sales" scale="6">391,035</ix:nonFraction> million</p>')).toEqual([
      'Sales of 391,035 million',
    ]);
  });
});

describe('rows', () => {
  it.each([
    ['spacer cells', ['Total', '', '&#160;', '391,035', '', '383,285'], 'Total | 391,035 | 383,285'],
    ['currency signs', ['Products', '$', '294,866', '', '$', '298,085', ''], 'Products | $294,866 | $298,085'],
    ['closing brackets', ['Other', '(565', ')', '(334', ')'], 'Other | (565) | (334)'],
    ['signs inside of brackets', ['Loss', '$(', '12', ')', '€', '(3', ')'], 'Loss | $(12) | €(3)'],
    ['per cent', ['Margin', '46.2', '%', '(4', ')%'], 'Margin | 46.2% | (4)%'],
    ['several lines in a cell', ['<div>Net</div><div>sales</div>', '1'], 'Net sales | 1'],
    ['a bullet in its own cell', ['•', 'A point.'], '• A point.'],
    ['a number in its own cell', ['(1)', 'A note.'], '(1) A note.'],
    ['nothing for nothing', ['—', '—', '5'], '— | — | 5'],
    ['a sign without a number', ['Units', '$'], 'Units | $'],
  ])('%s', (_name, cells, expected) => expect(texts(table(row(...cells)))).toEqual([expected]));

  it('keeps self-closing cells empty', () => {
    expect(texts('<table><tr><td/><td>a</td><td style="x"/><td>b</td></tr></table>')).toEqual(['a | b']);
  });

  it('takes a row of one cell, and a row around a table, for layout', () => {
    expect(texts(table(row('', '<p>One.</p><p>Two.</p>', '')))).toEqual(['One.', 'Two.']);
    expect(texts(table(row('Left', table(row('a', '1'), row('b', '2')), 'Right')))).toEqual(['Left', 'a | 1', 'b | 2', 'Right']);
  });

  it('counts the cells that hold something', () => {
    expect(readLines(`<p>x</p>${table(row('a', '', 'b'), row('', 'c'))}`).map(({ cells }) => cells)).toEqual([0, 2, 1]);
  });
});

describe('style', () => {
  it.each([
    ['<b>x</b>', true],
    ['<h2>x</h2>', true],
    ['<span style="font-weight:700">x</span>', true],
    ['<span style="FONT-WEIGHT: bold">x</span>', true],
    ['<font style="font: bold 10pt Times New Roman">x</font>', true],
    ['<b>x</b> ', true],
    ['<b>x</b>y', false],
    ['<b>x<span style="font-weight:400">y</span></b>', false],
    ['x', false],
  ])('%s is bold: %s', (html, bold) => expect(readLines(`<div>${html}</div>`)[0]).toMatchObject({ bold }));

  it('knows links within the document', () => {
    expect(readLines('<p><a href="#a">x</a> y</p><p><a href="https://sec.gov">x</a></p><p><a name="b">x</a></p>')).toMatchObject([
      { isLinked: true },
      { isLinked: false },
      { isLinked: false },
    ]);
  });

  it('counts pages, not empty ones', () => {
    const html =
      '<p>1</p><hr style="page-break-after:always"><p style="page-break-before: always">2</p><div style="break-before:page">3</div><p>3</p>';
    expect(readLines(html).map(({ page }) => page)).toEqual([0, 1, 2, 2]);
  });
});
