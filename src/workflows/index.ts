/** The entry of the workflow bundle: every export is a workflow type. */
export { budget } from './entities/budget-book';
export { call } from './call/direct-call';
export { callback } from './entities/callback';
export { firing } from './entities/firing';
export { intent } from './entities/intent';
export { session } from './session/session';
export { turn } from './turn/turn';
