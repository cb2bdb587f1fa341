/** What a run of a case did, for expectations and rubrics. */
import type { Json, JsonObject } from '../shared/json/json';

/** How a run ended: as the turn did, or, of a turn that did not end, `waiting` for a person or `timeout`. */
export type EvalState = 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit' | 'waiting' | 'timeout';

/** One call of a run: of the turn itself, or of a sub-agent's turn. */
export interface EvalCall {
  /** `<step>.<index>` in its turn. */
  id: string;
  /** From 1. An input that a person or a hook has changed makes the next revision; the one before is `superseded`. */
  revision: number;
  agent: string;
  tool: string;
  /** Null: it was no valid input. */
  input: JsonObject | null;
  /** As in the turn's view: `succeeded`, `failed`, `rejected`, `denied`… */
  state: string;
  /** What a destructive call did: `applied`, `not_applied`, `refused`, `in_doubt`; null for other classes. */
  effect: string | null;
  /** What the tool returned; null: nothing. */
  result: Json;
  error: { code: string; message: string } | null;
  approvedBy: string[];
}

/** One run of a case. */
export interface EvalRun {
  case: string;
  agent: string;
  /** The model's name; `recorded`: the answers of the recorded turn. */
  model: string;
  /** From 1, of the runs of this case with this model. */
  repetition: number;
  state: EvalState;
  /** Why it ended in this state; null: no reason is recorded. */
  reason: string | null;
  text: string;
  /** The data that the agent gave; null: none. */
  result: JsonObject | null;
  calls: EvalCall[];
  steps: number;
  /** US dollars; null: the price of a model is not known. */
  costUsd: number | null;
  durationMs: number;
}

/** A rubric's answer: whether the run passes, or a score from 0 to 1; with the reason. */
export type EvalGrade = boolean | number | { pass?: boolean; score?: number; reason?: string };

/**
 * The default export of a rubric's module. It judges what cannot be said by expectations.
 * @example
 * const brief: EvalRubric = ({ text }) => ({ pass: text.length < 500, reason: `The answer has ${text.length} characters.` });
 * export default brief;
 */
export type EvalRubric = (run: EvalRun) => EvalGrade | Promise<EvalGrade>;
