/**
 * What crosses between the turn workflow and its activities. All of it lands in Temporal's history,
 * so it stays small: references, and values of at most 2 KB beside them.
 */
export * from './io/turn';
export * from './io/call';
export * from './io/step';
export * from './io/admission';
export * from './io/run';
export * from './io/effects';
export * from './io/people';
export * from './io/sub-turns';
export * from './io/sessions';
export * from './io/activities';
