/** A fact that stands at more than one place of a bundle. */
import type { Table } from '../../../src/audit/verify/fact-tables';
import type { OpenLine } from './forge';

/** Where a source's record stands in the lines of a sample. */
export interface Source {
  of: string;
  table: Table;
  /** It is looked for in this sample alone. */
  only?: boolean;
  record(lines: OpenLine[]): any;
}
