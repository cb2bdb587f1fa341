/** The entry of the workflow bundle: every export is a workflow type. */
export { budget } from './budget-book';
export { call } from './call';
export { callback } from './callback';
export { intent } from './intent';
export { session } from './session';
export { turn } from './turn';
