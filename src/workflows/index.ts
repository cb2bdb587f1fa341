/** The entry of the workflow bundle: every export is a workflow type. */
export { turn } from './turn';
