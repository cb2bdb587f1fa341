/**
 * The typed result of a turn. A model gives it by a call of `give_result`, whose input is the result: so admission, record and replay
 * treat it as they treat any call. What does not fit goes back to the model as a rejected call does, with all of its faults.
 */

/** The engine's tool through which a model gives the result of its agent. */
export const GIVE_RESULT = 'give_result';

/** Largest result, bytes of JSON: it is in the turn's view, which one answer of Temporal has to hold. */
export const RESULT_BYTES = 131_072;

/** How often a model may try again after a result that was not taken. */
export const MOST_CORRECTIONS = 2;

declare const RESULT: unique symbol;

/** Names an agent, and carries the type of its result for `client.start(agent, …)`. No value has the second field. */
export interface GivesResult<R> {
  name: string;
  readonly [RESULT]?: R;
}
