/** What a turn waits for before a model is asked, as activities report it by heartbeat and clients show it. */
import { isJsonObject, type Json } from '../json/json';

export const WAIT_REASONS = ['requests', 'tokens', 'concurrent', 'vendor'] as const;

export interface ModelWait {
  /** Its name in the app. */
  model: string;
  why: (typeof WAIT_REASONS)[number];
  /** Requests that will be served first. */
  before: number;
}

/** Type of the failure by which a step that waits gives its slot back. It counts as no attempt. */
export const MODEL_WAITS = 'model.waits';

const WORDS: Record<ModelWait['why'], (model: string) => string> = {
  requests: (model) => `a free request of model ${model}`,
  tokens: (model) => `free tokens of model ${model}`,
  concurrent: (model) => `a running request of model ${model} to end`,
  vendor: (model) => `the vendor of model ${model}, which has asked for a pause`,
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
