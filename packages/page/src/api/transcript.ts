/** The transcript of a turn in readable order. */
import type { TranscriptEntry, TranscriptPage } from '../../../../src/shapes/transcript';
import { get } from './http';

export type { TranscriptEntry };

const MOST_PAGES = 50;

export async function readTranscript(turn: string): Promise<TranscriptEntry[]> {
  const all: TranscriptEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { entries, next_cursor }: TranscriptPage = await get<TranscriptPage>(
      `v1/turns/${encodeURIComponent(turn)}/transcript${more}`,
    );
    all.push(...entries);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return all;
}
