/** The report from which every format is made. */
import type { Block } from './markdown';

export interface Report {
  title: string;
  /** Markdown, without control characters. */
  content: string;
  blocks: Block[];
  /** Creation date in the file: the same in every attempt. */
  date: Date;
}

/** Reports progress; `fraction` is from 0 to 1. */
export type Step = (fraction: number) => Promise<void>;
