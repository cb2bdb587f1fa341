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

/** Says how far the work is, and lets others run meanwhile. `done` from 0 to 1. @throws the reason of an abort */
export type Step = (done: number) => Promise<void>;
