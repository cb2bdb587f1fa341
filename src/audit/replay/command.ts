/** One thing that a workflow asks Temporal for, in a shape that commands and recorded events share. */
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

/** As the workflow code asks for it, during a replay. */
export interface ReplayedCommand extends Command {
  /** The workflow task: what is asked for and withdrawn in one of them never reaches Temporal. */
  task: number;
}

/** As history has it. */
export interface RecordedCommand extends Command {
  /** Number of the event, from 1. */
  event: number;
}

const ENDS: readonly Kind[] = ['continue', 'complete', 'fail', 'cancel'];

/** As Temporal's own check sees it. */
export const sameCommand = (a: Command, b: Command): boolean =>
  a.kind === b.kind && a.id === b.id && (a.kind !== 'activity' || a.fields.type === b.fields.type);

export const isEnd = ({ kind }: Command): boolean => ENDS.includes(kind);
