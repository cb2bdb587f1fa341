/** What every format is made from. */
import type { Block } from './markdown';

export interface Report {
  title: string;
  /** Markdown, without control characters. */
  content: string;
  blocks: Block[];
  /** The day that the file names as its creation: the same in every attempt. */
  date: Date;
}

/** Says how far the work is. `done` from 0 to 1. */
export type Step = (done: number) => Promise<void>;
