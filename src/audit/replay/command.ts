/** One request of a workflow to Temporal, in a shape that replayed commands and recorded events share. */
import type { JsonObject } from '../../shared/json/json';

export const KINDS = [
  'activity',
  'activity_cancel',
  'timer',
  'timer_cancel',
  'child',
  'external_cancel',
  'signal',
  'search_attributes',
  'memo',
  'patch',
  'update_accepted',
  'update_completed',
  'continue',
  'complete',
  'fail',
  'cancel',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Command {
  kind: Kind;
  /** What Temporal's own check compares: an activity's id, a timer's number, a child's workflow id … */
  id: string;
  /** Everything else that counts: arguments, options, results. */
  fields: JsonObject;
}

/** A command that the workflow code gives during a replay. */
export interface ReplayedCommand extends Command {
  /** The workflow task. A command that is given and cancelled in the same task never reaches Temporal. */
  task: number;
}

/** A command as history has it. */
export interface RecordedCommand extends Command {
  /** Number of the event, from 1. */
  event: number;
}

const ENDS: readonly Kind[] = ['continue', 'complete', 'fail', 'cancel'];

/** Whether Temporal's own check takes them as equal. */
export const sameCommand = (a: Command, b: Command): boolean =>
  a.kind === b.kind && a.id === b.id && (a.kind !== 'activity' || a.fields.type === b.fields.type);

export const isEnd = ({ kind }: Command): boolean => ENDS.includes(kind);
