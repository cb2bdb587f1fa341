/** Holdfast's own replay check: compares the commands that the code gives with those that history records. */
import type { Json } from '../../shared/json/json';
import { sameCommand, type ReplayedCommand, type Command, type RecordedCommand } from './command';
import { findDifferences, type Place } from './json-differences';
import { inWordsOfToday, knownChange } from './known-changes';
import { oneLine } from './one-line';
import type { History } from './recorded-commands';
import { deed, duration, fieldName } from './words';
import { optional } from '../../shared/json/optional';

export interface Difference {
  /** Number of the event in history, from 1; null: after the last one. */
  event: number | null;
  /** `changed`: the same command with another argument, option or result; `failed`: the code threw. */
  what: 'changed' | 'added' | 'missing' | 'instead' | 'failed';
  sentence: string;
  /** For `changed`: the place, such as `input.0.call.input.cents`. */
  path?: string;
  recorded?: Json;
  now?: Json;
}

export interface ReplayRun {
  commands: ReplayedCommand[];
  /** Why the replay failed; null: Temporal's own check found nothing. */
  failure: string | null;
}

/** Places reported for one command; further ones are alike. */
const PLACES = 3;
/** Places compared in one command, harmless included. */
const LOOKED_AT = 1000;
/** Differences of one history. */
const MOST = 20;

export interface ReplayComparison {
  /** The first differences, in the order of history; empty: the code does what it did. */
  differences: Difference[];
  /** Known harmless differences: reason → how many. */
  harmless: Record<string, number>;
}

/**
 * @param runId the run's own id, if a reset gave it another id than the one in the first event of its history
 */
export function compare(history: History, { commands: all, failure }: ReplayRun, runId?: string): ReplayComparison {
  const recordedCommands = withoutOldPatches(history.commands, all);
  const replayedCommands = withoutOldPatches(all, history.commands);
  const same = sameRun(history.startAttributes.originalExecutionRunId ?? '', runId);
  const differences: Difference[] = [];
  const harmless = new Map<string, number>();
  const pass = (reason: string) => harmless.set(reason, (harmless.get(reason) ?? 0) + 1);
  const isEarlier = ({ kind }: RecordedCommand, place: Place) => {
    const isDuration = kind === 'timer' && place.path === 'duration_ms';
    const found = (isDuration ? isDurationByTaskBefore : isTimeOfTaskBefore)(place, history.taskTimes);
    if (found) pass(TASK_BEFORE);
    return found;
  };
  let i = 0;
  for (; i < recordedCommands.length && i < replayedCommands.length && differences.length < MOST; i++) {
    if (!sameCommand(recordedCommands[i]!, replayedCommands[i]!)) break;
    const recorded = recordedCommands[i]!;
    const isSame = (place: Place) => same(place) || isEarlier(recorded, place);
    differences.push(...changes(recorded, replayedCommands[i]!, isSame, pass));
  }
  const other =
    differences.length < MOST ? otherCourse({ recordedCommands, isEnded: history.isEnded }, replayedCommands, i, failure) : null;
  return { differences: [...differences, ...(other ? [other] : [])].slice(0, MOST), harmless: Object.fromEntries(harmless) };
}

function changes(
  recordedCommand: RecordedCommand,
  replayedCommand: ReplayedCommand,
  same: (place: Place) => boolean,
  pass: (reason: string) => void,
): Difference[] {
  const { fields, reason } = inWordsOfToday(recordedCommand);
  if (reason) pass(reason);
  const recordedFields = recordedCommand.kind === 'continue' ? only(fields, Object.keys(replayedCommand.fields)) : fields;
  return findDifferences(recordedFields, replayedCommand.fields, LOOKED_AT)
    .filter((place) => !same(place) && !isKnown(recordedCommand, place, pass))
    .slice(0, PLACES)
    .map((place) => {
      const [field = '', ...rest] = place.path.split('.');
      const at = `event ${recordedCommand.event}: the code would now ${deed(recordedCommand)}`;
      const where = rest.length > 0 && !(rest.length === 1 && rest[0] === '0') ? `${formatPath(rest)} would be ` : '';
      const values = `${value(place.now, field)}, and ${value(place.recorded, field)} was recorded`;
      const { path, recorded: recordedValue, now } = place;
      return {
        event: recordedCommand.event,
        what: 'changed' as const,
        sentence:
          field === 'eager'
            ? `${at} ${place.now ? 'by' : 'without'} eager dispatch, which no build has done so far`
            : `${at} with ${fieldName(recordedCommand.kind, field)}: ${where}${values}`,
        path,
        ...optional({ recorded: recordedValue, now }),
      };
    });
}

function isKnown(command: RecordedCommand, place: Place, pass: (reason: string) => void): boolean {
  const reason = knownChange(command, place);
  if (reason) pass(reason);
  return reason !== null;
}

/** The first place where the commands are not the same, or one is missing; null: there is none. */
function otherCourse(
  { recordedCommands, isEnded }: { recordedCommands: RecordedCommand[]; isEnded: boolean },
  replayedCommands: ReplayedCommand[],
  i: number,
  failure: string | null,
): Difference | null {
  const [before, now] = [recordedCommands[i], replayedCommands[i]];
  const event = before?.event ?? null;
  const at = event === null ? 'after the last event' : `event ${event}`;
  if (before && now && deed(before) === deed(now))
    return { event, what: 'instead', sentence: `${at}: the code would now ${deed(now)} ${otherwise(before, now)}` };
  if (before && now) {
    const again = replayedCommands.slice(i + 1).some((one) => sameCommand(one, before));
    const later = recordedCommands.slice(i + 1).some((one) => sameCommand(one, now));
    const orderNote = again && later ? ', in another order' : '';
    if (again && !later) return { event, what: 'added', sentence: `${at}: before it, the code would now also ${deed(now)}` };
    if (later && !again)
      return { event, what: 'missing', sentence: `${at}: the code would no longer ${deed(before)}; next it would ${deed(now)}` };
    return {
      event,
      what: 'instead',
      sentence: `${at}: the code would now ${deed(now)}, where it was recorded to ${deed(before)}${orderNote}`,
    };
  }
  if (failure !== null && (before || !now))
    return { event, what: 'failed', sentence: `${at}: the code would fail here: ${oneLine(failure, 400)}` };
  if (before) return { event, what: 'missing', sentence: `${at}: the code would no longer ${deed(before)}` };
  // A further command after a run that was cut short is no difference.
  if (now && (isEnded || failure !== null))
    return { event, what: 'added', sentence: `${at}: the code would now also ${deed(now)}` };
  return null;
}

/** What differs between two commands with the same description. */
function otherwise(before: RecordedCommand, now: ReplayedCommand): string {
  if (before.id !== now.id) return `under the id ${oneLine(now.id)}, and ${oneLine(before.id)} was recorded`;
  if (before.kind !== now.kind) return `as a command of kind ${now.kind}, and one of kind ${before.kind} was recorded`;
  const [place] = findDifferences(before.fields, now.fields, 1);
  const field = place?.path.split('.')[0] ?? 'type';
  return `with ${fieldName(before.kind, field)}: ${value(place?.now, field)}, and ${value(place?.recorded, field)} was recorded`;
}

/** Drops deprecated patches that the others do not have: `deprecatePatch` allows runs with the patch and without it. */
function withoutOldPatches<C extends Command>(commands: C[], others: readonly Command[]): C[] {
  const patchIds = new Set(others.flatMap(({ kind, id }) => (kind === 'patch' ? [id] : [])));
  return commands.filter(({ kind, id, fields }) => kind !== 'patch' || fields.deprecated !== true || patchIds.has(id));
}

/** A reset gives the run a new id; before the reset, and during a replay, the run has its original id. */
function sameRun(original: string, runId: string | undefined): (place: Place) => boolean {
  if (!runId || runId === original) return () => false;
  return ({ recorded, now }) =>
    typeof recorded === 'string' &&
    typeof now === 'string' &&
    recorded.replaceAll(runId, original) === now.replaceAll(runId, original);
}

const TASK_BEFORE =
  'a time is that of the task before: a worker that had just begun answered a query from what no task had processed yet';
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether two times differ by what lies between two tasks: that of the earlier one was recorded, and the replay has the later one. */
function isTimeOfTaskBefore({ recorded, now }: Place, taskTimes: readonly number[]): boolean {
  const [early, late] = [recorded, now].map(timeIn);
  return taskTimes.some((time, index) => {
    const before = taskTimes[index - 1] ?? NaN;
    return early! >= before && late! - early! === time - before;
  });
}

/** ms since 1970; a run hands some times on to the next as such a number. */
function timeIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : NaN;
}

/** Likewise of the duration until a time, or until one that was counted from such a time: it differs by what lies between two tasks. */
function isDurationByTaskBefore({ recorded, now }: Place, taskTimes: readonly number[]): boolean {
  const difference = Math.abs(Number(recorded) - Number(now));
  return taskTimes.some((time, index) => time - (taskTimes[index - 1] ?? NaN) === difference);
}

function only(fields: Command['fields'], keys: string[]): Command['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)));
}

/** The path without the argument's index: holdfast's activities have one argument. */
function formatPath(path: string[]): string {
  return oneLine((path[0] === '0' ? path.slice(1) : path).join('.'), 200);
}

function value(json: Json | undefined, field: string): string {
  if (json === undefined) return 'nothing';
  if (field.endsWith('_ms') && typeof json === 'number') return duration(json);
  return oneLine(JSON.stringify(json), 200);
}
