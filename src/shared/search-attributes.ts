/**
 * The search attributes of our workflows. The namespace must have them. They serve lists only: the workflow's own state is
 * authoritative.
 */
import { cutBytes } from './text/utf8';

/** In the form of the SDK's keys. */
export const SEARCH_ATTRIBUTES = {
  agent: { name: 'HoldfastAgent', type: 'KEYWORD' },
  state: { name: 'HoldfastState', type: 'KEYWORD' },
  session: { name: 'HoldfastSession', type: 'KEYWORD' },
  requester: { name: 'HoldfastRequester', type: 'KEYWORD' },
  tool: { name: 'HoldfastTool', type: 'KEYWORD_LIST' },
} as const;

type Keyword = Exclude<keyof typeof SEARCH_ATTRIBUTES, 'tool'>;

/** The types, as Temporal's command line and server name them. */
const TYPE_NAMES = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** Each name with its type, as Temporal's command line takes it. */
export const NAMESPACE_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, TYPE_NAMES[type]]),
);

/** UTF-8 bytes; databases refuse a longer value. */
export const KEYWORD_BYTES = 255;

/** One attribute with its value, cut to the size that databases take. */
export function keyword(attribute: Keyword, value: string): { key: (typeof SEARCH_ATTRIBUTES)[Keyword]; value: string } {
  return { key: SEARCH_ATTRIBUTES[attribute], value: cutBytes(value, KEYWORD_BYTES) };
}

/** The attribute's value on a listed workflow; empty: it has none. */
export function keywordOf(attributes: Readonly<Record<string, unknown>> | undefined, attribute: Keyword): string {
  const values = attributes?.[SEARCH_ATTRIBUTES[attribute].name];
  return Array.isArray(values) ? String(values[0] ?? '') : '';
}
