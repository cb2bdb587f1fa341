import { CompanyList } from '../../../../../src/packs/finance/edgar/companies';

const list = new CompanyList([
  { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' },
  { cik_str: 789019, ticker: 'MSFT', title: 'MICROSOFT CORP' },
  { cik_str: 1018724, ticker: 'AMZN', title: 'AMAZON COM INC' },
  { cik_str: 1326801, ticker: 'META', title: 'Meta Platforms, Inc.' },
  { cik_str: 40545, ticker: 'GE', title: 'GENERAL ELECTRIC CO' },
  { cik_str: 40704, ticker: 'GIS', title: 'GENERAL MILLS INC' },
  { cik_str: 899051, ticker: 'ALL', title: 'ALLSTATE CORP' },
  { cik_str: 1418121, ticker: 'APLE', title: 'Apple Hospitality REIT, Inc.' },
]);
const tickers = (text: string) => list.namedIn(text).named.map((company) => company.ticker);

describe('the companies that a search text names', () => {
  it.each([
    ['AAPL', ['AAPL']],
    ['Apple earnings', ['AAPL']],
    ['apple hospitality reit dividend', ['APLE']],
    ['amazon acquisition', ['AMZN']],
    ['Meta layoffs', ['META']],
    ['General Mills results', ['GIS']],
    ['General news', ['GE']],
    ['General Motors results', []],
    ['Apple Earnings', ['AAPL']],
    ['Meta Materials', []],
    ['MSFT and AAPL', ['MSFT', 'AAPL']],
    ['all acquisitions in general', []],
    ['', []],
  ])('%j: %j', (text, expected) => {
    expect(tickers(text)).toEqual(expected);
  });

  it('leave the other words for the topic', () => {
    expect(list.namedIn('Microsoft Corp new CEO').words).toEqual(['new', 'ceo']);
  });

  it('are three at most', () => {
    expect(tickers('AAPL MSFT AMZN META')).toHaveLength(3);
  });

  it('are safe from names that mean something to JavaScript', () => {
    expect(tickers('constructor __proto__ toString')).toEqual([]);
    expect(list.withTicker('__proto__')).toBeUndefined();
  });
});
