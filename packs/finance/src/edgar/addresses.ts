/** The URLs of EDGAR's data, and the check whether a URL is EDGAR's. */
export interface Addresses {
  tickers: string;
  submissions(cik: string): string;
  /** An older page of submissions, by the name that the newest page gives it. */
  submissionsPage(name: string): string;
  facts(cik: string): string;
  /** A file in the folder of a filing. */
  file(cik: string, accession: string, name: string): string;
  /** Whether a URL is one of EDGAR's. Redirects to other URLs are refused. */
  isEdgarUrl(url: string): boolean;
}

/**
 * @param base replaces both of the SEC's hosts, for tests and mirrors: `BASE/www/…` stands for www.sec.gov,
 *   `BASE/data/…` for data.sec.gov
 */
export function addressesOf(base?: string): Addresses {
  const root = base?.replace(/\/+$/, '');
  const www = root === undefined ? 'https://www.sec.gov' : `${root}/www`;
  const data = root === undefined ? 'https://data.sec.gov' : `${root}/data`;
  return {
    tickers: `${www}/files/company_tickers.json`,
    submissions: (cik) => `${data}/submissions/CIK${cik}.json`,
    submissionsPage: (name) => `${data}/submissions/${encodeURIComponent(name)}`,
    facts: (cik) => `${data}/api/xbrl/companyfacts/CIK${cik}.json`,
    file: (cik, accession, name) =>
      `${www}/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${encodeURIComponent(name)}`,
    isEdgarUrl: (url) => [www, data].some((host) => new URL(url).href.startsWith(`${new URL(host).href.replace(/\/$/, '')}/`)),
  };
}
