/** The search attributes of our workflows: the namespace must have them. They are for lists; what counts is in the workflow. */
import { cutBytes } from './text/utf8';

/** As the SDK takes keys. */
export const SEARCH_ATTRIBUTES = {
  agent: { name: 'HoldfastAgent', type: 'KEYWORD' },
  state: { name: 'HoldfastState', type: 'KEYWORD' },
  session: { name: 'HoldfastSession', type: 'KEYWORD' },
  requester: { name: 'HoldfastRequester', type: 'KEYWORD' },
  tool: { name: 'HoldfastTool', type: 'KEYWORD_LIST' },
} as const;

type Keyword = Exclude<keyof typeof SEARCH_ATTRIBUTES, 'tool'>;

/** As Temporal's command line and server name the types. */
const TYPE_NAMES = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** Names, each with its type as Temporal's command line takes it. */
export const NAMESPACE_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, TYPE_NAMES[type]]),
);

/** Bytes of UTF-8; databases refuse a longer one. */
export const KEYWORD_BYTES = 255;

/** One attribute with its value, cut to what a database takes. */
export function keyword(attribute: Keyword, value: string): { key: (typeof SEARCH_ATTRIBUTES)[Keyword]; value: string } {
  return { key: SEARCH_ATTRIBUTES[attribute], value: cutBytes(value, KEYWORD_BYTES) };
}

/** What a listed workflow has there; empty: nothing. */
export function keywordOf(attributes: Readonly<Record<string, unknown>> | undefined, attribute: Keyword): string {
  const values = attributes?.[SEARCH_ATTRIBUTES[attribute].name];
  return Array.isArray(values) ? String(values[0] ?? '') : '';
}
