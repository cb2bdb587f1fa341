/** The transcript of a turn in readable order. */
import type { Json } from '../../../../src/shared/json/json';
import { get } from './http';

export interface TranscriptEntry {
  kind: string;
  at?: string | null;
  by?: string | null;
  text?: string | null;
  value?: Json;
}

interface Page {
  entries: TranscriptEntry[];
  next_cursor?: string | null;
}

const MOST_PAGES = 50;

export async function readTranscript(turn: string): Promise<TranscriptEntry[]> {
  const all: TranscriptEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { entries, next_cursor = null }: Page = await get<Page>(`v1/turns/${encodeURIComponent(turn)}/transcript${more}`);
    all.push(...entries);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return all;
}
