/** What a search of documents gives. */
export interface Hit {
  /** From the folder, with `/`. */
  path: string;
  title: string;
  /** The part of the text that fits best, at most 240 characters. */
  snippet: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
}

export interface SearchResult {
  hits: Hit[];
  total: number;
  /** Changes when the folder does: pages of one search belong to one state of it. */
  state: string;
  searched: number;
  leftOut: number;
}
