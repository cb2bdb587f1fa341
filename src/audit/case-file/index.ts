/** Reads a bundle as a case file, for the report and for a what-if. */
export { readCaseFile } from './read';
export type * from './types';
