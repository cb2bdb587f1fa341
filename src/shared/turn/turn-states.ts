/** The states of turns and calls, and what a turn waits for. */
import { isJsonObject, type Json } from '../json/json';

export const TURN_STATES = [
  'running',
  'awaiting_approval',
  'awaiting_answer',
  'in_doubt',
  'sleeping',
  'completed',
  'refused',
  'cancelled',
  'failed',
  'limit',
] as const;
export type TurnState = (typeof TURN_STATES)[number];
/** The states in which a turn has ended. */
export type EndState = Exclude<TurnState, (typeof OPEN_STATES)[number]>;
/** The states of a turn that goes on. Those that do not run or sleep wait for a person. */
export const OPEN_STATES = [
  'running',
  'sleeping',
  'awaiting_approval',
  'awaiting_answer',
  'in_doubt',
] as const satisfies TurnState[];

export function isEnd(state: TurnState): state is EndState {
  return !OPEN_STATES.some((open) => open === state);
}

export const CALL_STATES = [
  'proposed', 'rejected', 'ready', 'waiting', 'approved', 'denied', 'expired', 'superseded', 'cancelled',
  'running', 'succeeded', 'failed', 'in_doubt',
] as const; // oxfmt-ignore
export type CallState = (typeof CALL_STATES)[number];

/** What a destructive call did. */
export const EFFECTS = ['applied', 'not_applied', 'refused', 'in_doubt'] as const;
export type Effect = (typeof EFFECTS)[number];

// What a turn waits for before a model is asked, as activities report it by heartbeat and clients show it.

export const WAIT_REASONS = ['requests', 'tokens', 'concurrent', 'vendor', 'failure'] as const;

export interface ModelWait {
  /** Its name in the app. */
  model: string;
  why: (typeof WAIT_REASONS)[number];
  /** Requests that will be served first. */
  before: number;
}

/** Type of the failure by which a step that waits gives its slot back. It counts as no attempt. */
export const MODEL_WAITS = 'model.waits';

// A call that waits for the end of a freeze (docs/operations.md, "Stop switch").

/** Reason in the output of a call that was not dispatched since it is frozen. */
export const FREEZE = 'frozen';
/** Type of the failure by which the activity of a call that waits gives its slot back. */
export const FREEZE_WAITS = 'holdfast.frozen';

const WORDS: Record<ModelWait['why'], (model: string) => string> = {
  requests: (model) => `a free request of model ${model}`,
  tokens: (model) => `free tokens of model ${model}`,
  concurrent: (model) => `a running request of model ${model} to end`,
  vendor: (model) => `the vendor of model ${model}, which has asked for a pause`,
  failure: (model) => `the next try of model ${model}, which did not answer`,
};

/** `waits for a free request of model opus, 12 before it` */
export function modelWaitText({ model, why, before }: ModelWait): string {
  return `waits for ${WORDS[why](model)}${before > 0 ? `, ${before} before it` : ''}`;
}

/** Null: it is no such report. */
export function readModelWait(value: unknown): ModelWait | null {
  if (!isJsonObject(value as Json)) return null;
  const { model, why, before } = value as Partial<ModelWait>;
  const isWait = typeof model === 'string' && WAIT_REASONS.some((one) => one === why) && Number.isSafeInteger(before);
  return isWait ? { model, why: why!, before: before! } : null;
}
