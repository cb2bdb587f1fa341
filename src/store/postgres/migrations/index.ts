/** Every migration of the tables, in order. A released migration is never edited. */
import { aStore } from './0001-a-store';
import { ageOfObjects } from './0002-age-of-objects';

export interface Migration {
  /** From 1, without gaps. */
  number: number;
  name: string;
  /**
   * The least version of tables that a build must know to use these too, for a change that older builds do not notice, such as a new
   * table, or a new column with a default. Absent: `number`.
   */
  oldest?: number;
  sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'a-store', sql: aStore },
  { number: 2, name: 'age-of-objects', sql: ageOfObjects },
];
