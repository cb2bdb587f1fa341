/** Cuts text that is too long for the model without splitting a character, and reports what was cut. */
import { z } from 'zod';
import type { JsonObject } from '../../shared/json/json';

const DEFAULT_LENGTH = 2000;
const LONGEST = 100_000;
const LENGTH_TEXT = 'Longest text to return, in characters.';
const SUMMARY_TEXT = 'Whether a text that is cut comes with a summary of the whole.';

/** Fields for a zod input: `z.object({ url: …, ...truncateInput })`. */
export const truncateInput = {
  max_length: z.number().int().min(1).max(LONGEST).default(DEFAULT_LENGTH).describe(LENGTH_TEXT),
  return_summary: z.boolean().default(true).describe(SUMMARY_TEXT),
};

/** The same fields for an input that is a JSON Schema. */
export const truncateProperties: { max_length: JsonObject; return_summary: JsonObject } = {
  max_length: { type: 'integer', minimum: 1, maximum: LONGEST, default: DEFAULT_LENGTH, description: LENGTH_TEXT },
  return_summary: { type: 'boolean', default: true, description: SUMMARY_TEXT },
};

export interface Truncated {
  content: string;
  truncated: boolean;
  /** Only when something was cut. Lengths in UTF-16 units, as JavaScript counts. */
  truncation_info?: { original_length: number; returned_length: number; summary?: string };
}

/**
 * @param options.summary `true`: made by `outline`; a function: the author's own summary; default: none
 */
export function truncated(
  text: string,
  { maxLength = DEFAULT_LENGTH, summary = false }: { maxLength?: number; summary?: boolean | ((text: string) => string) } = {},
): Truncated {
  if (text.length <= maxLength) return { content: text, truncated: false };
  const content = cutText(text, maxLength);
  const summarize = summary === true ? outline : summary;
  return {
    content,
    truncated: true,
    truncation_info: {
      original_length: text.length,
      returned_length: content.length,
      ...(summarize === false ? {} : { summary: cutText(summarize(text), SUMMARY) }),
    },
  };
}

const SUMMARY = 500;
const HEADING = /^#{1,6} +(\S.{0,199})/;
const MOST_HEADINGS = 20;
/** How many characters are searched for the first sentences. */
const OPENING = 2000;
const SENTENCES = 3;

/** Summarizes a text by a fixed rule: its Markdown headings; without headings, its first sentences. */
export function outline(text: string): string {
  const headings = headingsOf(text);
  if (headings.length === 0) return firstSentences(text);
  const firstHeadings = headings.slice(0, MOST_HEADINGS).map((heading) => heading.trimEnd());
  const count = `${headings.length} heading${headings.length === 1 ? '' : 's'}`;
  return `${count}: ${firstHeadings.join('; ')}${headings.length > firstHeadings.length ? '; …' : ''}`;
}

/** A `#` inside a fenced block is code, not a heading. */
function headingsOf(text: string): string[] {
  const headings: string[] = [];
  let inFence = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```') || line.startsWith('~~~')) inFence = !inFence;
    const heading = inFence ? null : HEADING.exec(line);
    if (heading) headings.push(heading[1]!);
  }
  return headings;
}

function firstSentences(text: string): string {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  const opening = cutText(text.trimStart(), OPENING);
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(opening)) {
    if (segment.trim() !== '') sentences.push(segment.trim().replace(/\s+/g, ' '));
    if (sentences.length === SENTENCES) break;
  }
  return sentences.join(' ');
}

/** At most `length` UTF-16 units, never half of a surrogate pair. */
function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
