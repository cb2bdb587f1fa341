/** The result types of a document search. */
export interface Hit {
  /** Relative to the folder, with `/`. */
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
  /** Changes when the folder changes: all pages of one search must have the same state. */
  state: string;
  searched: number;
  leftOut: number;
}
