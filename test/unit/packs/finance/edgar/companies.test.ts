import { CompanyList } from '../../../../../packs/finance/src/edgar/companies';

const list = new CompanyList([
  { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' },
  { cik_str: 789019, ticker: 'MSFT', title: 'MICROSOFT CORP' },
  { cik_str: 1018724, ticker: 'AMZN', title: 'AMAZON COM INC' },
  { cik_str: 1326801, ticker: 'META', title: 'Meta Platforms, Inc.' },
  { cik_str: 40545, ticker: 'GE', title: 'GENERAL ELECTRIC CO' },
  { cik_str: 40704, ticker: 'GIS', title: 'GENERAL MILLS INC' },
  { cik_str: 899051, ticker: 'ALL', title: 'ALLSTATE CORP' },
  { cik_str: 12927, ticker: 'BA', title: 'BOEING CO' },
  { cik_str: 1090872, ticker: 'A', title: 'AGILENT TECHNOLOGIES, INC.' },
  { cik_str: 55067, ticker: 'K', title: 'KELLANOVA' },
  { cik_str: 1583708, ticker: 'S', title: 'SentinelOne, Inc.' },
  { cik_str: 794367, ticker: 'M', title: "Macy's, Inc." },
  { cik_str: 732717, ticker: 'T', title: 'AT&T INC.' },
  { cik_str: 36270, ticker: 'MTB', title: 'M&T BANK CORP' },
  { cik_str: 64040, ticker: 'SPGI', title: 'S&P Global Inc.' },
  { cik_str: 63908, ticker: 'MCD', title: 'MCDONALDS CORP' },
  { cik_str: 1418121, ticker: 'APLE', title: 'Apple Hospitality REIT, Inc.' },
  { cik_str: 1308648, ticker: 'AG', title: 'FIRST MAJESTIC SILVER CORP' },
  { cik_str: 1411579, ticker: 'AMC', title: 'AMC ENTERTAINMENT HOLDINGS, INC.' },
  { cik_str: 1467858, ticker: 'GM', title: 'General Motors Co' },
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
    ['General Dynamics results', []],
    ['Apple Earnings', ['AAPL']],
    ['Meta Materials', []],
    ['MSFT and AAPL', ['MSFT', 'AAPL']],
    ['all acquisitions in general', []],
    ['', []],
    // Letters of forms, of abbreviations and of other names are no tickers beside a name.
    ['AAPL 8-K filings', ['AAPL']],
    ['Apple S-1', ['AAPL']],
    ['Microsoft M&A', ['MSFT']],
    ['A new CEO at Boeing', ['BA']],
    ['ALL AAPL NEWS', ['AAPL']],
    ['M&T Bank earnings', ['MTB']],
    ['S&P Global earnings', ['SPGI']],
    ['AT&T results', ['T']],
    ["MCDONALD'S EARNINGS", []],
    ["Macy's results", ['M']],
    ["Apple's results", ['AAPL']],
    ['A results', ['A']],
    ['ALL results', ['ALL']],
    ['K results', ['K']],
    // A name that begins or ends with another company's name, or ticker.
    ['Apple Hospitality REIT', ['APLE']],
    ['Apple Hospitality earnings', []],
    ['apple hospitality', []],
    ['Apple Bank results', []],
    ['Golden Apple earnings', []],
    ['Siemens AG earnings', []],
    ['T Rowe Price results', []],
    ['T ROWE PRICE', []],
    ['T. Rowe Price results', []],
    ['AMC Networks', []],
    ['GE Vernova earnings', []],
    ['Boeing Hospitality and General Motors', ['GM']],
    ['AAPL iPhone sales', ['AAPL']],
    ['AAPL, Hospitality', ['AAPL']],
    ['Apple, Microsoft and Boeing', ['AAPL', 'MSFT', 'BA']],
    ['Apple Microsoft earnings', ['AAPL', 'MSFT']],
    ['Apple (AAPL) results', ['AAPL']],
    ['Boeing BA', ['BA']],
    ['BA Boeing', ['BA']],
    ["Apple's Vision Pro", ['AAPL']],
    ['apple dividend', ['AAPL']],
    ['Apple Inc. Hospitality', ['AAPL']],
  ])('%j: %j', (text, expected) => {
    expect(tickers(text)).toEqual(expected);
  });

  it('leave the other words for the topic', () => {
    expect(list.namedIn('Microsoft Corp new CEO').words).toEqual(['new', 'CEO']);
  });

  it('are three at most', () => {
    expect(tickers('AAPL MSFT AMZN META')).toHaveLength(3);
  });

  it('are not confused by names that mean something to JavaScript', () => {
    expect(tickers('constructor __proto__ toString')).toEqual([]);
    expect(list.withTicker('__proto__')).toBeUndefined();
  });
});
