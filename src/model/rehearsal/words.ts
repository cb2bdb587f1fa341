/** Finds tokens in a user's text: tickers, e-mail addresses, dates, identifiers, numbers. */

const EMAIL = /[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}/g;
const TICKER = /(?<![\w@&./-])[A-Z]{1,5}(?![\w@&/]|-\w)/g;
const NOT_TICKERS = new Set(
  (
    'A I AI AM AN AND API AS AT ALL BE BUT BY CEO CFO CTO CEST CET CSV DO EBIT EDGAR EPS EST ETF EU EUR EUROS EV FCF FOR FROM FY GAAP ' +
    'GBP GMT GO HAS HTML IF IFRS IN INC IPO IS IT ITS JSON LLC LTD ME MY NO NOT NOW OF OK ON OR OUR PB PDF PDT PE PER PLC PLS PM PST ' +
    'PTO Q ROA ROE ROI SEC SEND SO THE TO TTM UK UP URL US USA USD UTC WE YES YOU YOY YTD'
  ).split(' '),
);

export function emails(text: string): string[] {
  return text.match(EMAIL) ?? [];
}

/** The first word that looks like a ticker: one to five capitals, no common abbreviation. */
export function ticker(text: string): string | undefined {
  return (text.replace(EMAIL, ' ').match(TICKER) ?? []).find((word) => !NOT_TICKERS.has(word));
}

export function dates(text: string): string[] {
  return text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
}

export function urls(text: string): string[] {
  return (text.match(/\bhttps?:\/\/[^\s"'<>]+/g) ?? []).map((url) => url.replace(/[.,;)]+$/, ''));
}

/** Texts in quotation marks or backticks. */
export function quotations(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|`([^`]+)`|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)/g)].map(
    (m) => m[1] ?? m[2] ?? m[3] ?? m[4] ?? '',
  );
}

/** Words with letters and digits, such as INV-7, order_12, 0x1f; dates are not among them. */
export function identifiers(text: string): string[] {
  return words(text).filter((word) => /\d/.test(word) && /[A-Za-z]/.test(word) && !word.includes('@'));
}

/** Words that look like a file's path. */
export function paths(text: string): string[] {
  return words(text).filter(
    (word) => /^[\w./-]*\w\.[A-Za-z]\w{0,7}$|\//.test(word) && !word.includes('@') && !word.includes('://'),
  );
}

/** Numbers, also those inside identifiers; not those inside dates or e-mail addresses. */
export function numbers(text: string): number[] {
  const plain = text.replace(EMAIL, ' ').replace(/\b\d{4}-\d{2}-\d{2}\b/g, ' ');
  return (plain.match(/(?<![\d.])(?:(?<![\w])-)?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

export function words(text: string): string[] {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/^[("'`[]+|[)"'`\],;:!?.]+$/g, ''))
    .filter(Boolean);
}
