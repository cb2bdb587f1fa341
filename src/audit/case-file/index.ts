export { readCaseFile } from './read';
export type * from './types';
