/** A fact that is recorded at more than one place of a bundle. */
import type { Table } from '../../../src/audit/verify/fact-tables';
import type { OpenLine } from './forge';

/** The place of a source's record in the lines of a sample. */
export interface Source {
  of: string;
  table: Table;
  /** The only sample in which it is looked for. */
  only?: boolean;
  record(lines: OpenLine[]): any;
}
