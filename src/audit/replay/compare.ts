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
  asked: ReplayedCommand[];
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
export function compare(history: History, { asked: all, failure }: ReplayRun, runId?: string): ReplayComparison {
  const recorded = withoutOldPatches(history.commands, all);
  const asked = withoutOldPatches(all, history.commands);
  const same = sameRun(history.started.originalExecutionRunId ?? '', runId);
  const differences: Difference[] = [];
  const harmless = new Map<string, number>();
  const pass = (reason: string) => harmless.set(reason, (harmless.get(reason) ?? 0) + 1);
  let i = 0;
  for (; i < recorded.length && i < asked.length && differences.length < MOST; i++) {
    if (!sameCommand(recorded[i]!, asked[i]!)) break;
    differences.push(...changes(recorded[i]!, asked[i]!, same, pass));
  }
  const other = differences.length < MOST ? otherCourse({ recorded, ended: history.ended }, asked, i, failure) : null;
  return { differences: [...differences, ...(other ? [other] : [])].slice(0, MOST), harmless: Object.fromEntries(harmless) };
}

function changes(
  recorded: RecordedCommand,
  asked: ReplayedCommand,
  same: (place: Place) => boolean,
  pass: (reason: string) => void,
): Difference[] {
  const { fields, reason } = inWordsOfToday(recorded);
  if (reason) pass(reason);
  const said = recorded.kind === 'continue' ? only(fields, Object.keys(asked.fields)) : fields;
  return findDifferences(said, asked.fields, LOOKED_AT)
    .filter((place) => !same(place) && !isKnown(recorded, place, pass))
    .slice(0, PLACES)
    .map((place) => {
      const [field = '', ...rest] = place.path.split('.');
      const at = `event ${recorded.event}: the code would now ${deed(recorded)}`;
      const where = rest.length > 0 && !(rest.length === 1 && rest[0] === '0') ? `${formatPath(rest)} would be ` : '';
      const values = `${value(place.now, field)}, and ${value(place.recorded, field)} was recorded`;
      const { path, recorded: was, now } = place;
      return {
        event: recorded.event,
        what: 'changed' as const,
        sentence:
          field === 'eager'
            ? `${at} ${place.now ? 'by' : 'without'} eager dispatch, which no build has done so far`
            : `${at} with ${fieldName(recorded.kind, field)}: ${where}${values}`,
        path,
        ...optional({ recorded: was, now }),
      };
    });
}

function isKnown(recorded: RecordedCommand, place: Place, pass: (reason: string) => void): boolean {
  const reason = knownChange(recorded, place);
  if (reason) pass(reason);
  return reason !== null;
}

/** The first place where the commands are not the same, or one is missing; null: there is none. */
function otherCourse(
  { recorded, ended }: { recorded: RecordedCommand[]; ended: boolean },
  asked: ReplayedCommand[],
  i: number,
  failure: string | null,
): Difference | null {
  const [was, now] = [recorded[i], asked[i]];
  const event = was?.event ?? null;
  const at = event === null ? 'after the last event' : `event ${event}`;
  if (was && now && deed(was) === deed(now))
    return { event, what: 'instead', sentence: `${at}: the code would now ${deed(now)} ${otherwise(was, now)}` };
  if (was && now) {
    const again = asked.slice(i + 1).some((one) => sameCommand(one, was));
    const later = recorded.slice(i + 1).some((one) => sameCommand(one, now));
    const moved = again && later ? ', in another order' : '';
    if (again && !later) return { event, what: 'added', sentence: `${at}: before it, the code would now also ${deed(now)}` };
    if (later && !again)
      return { event, what: 'missing', sentence: `${at}: the code would no longer ${deed(was)}; next it would ${deed(now)}` };
    return {
      event,
      what: 'instead',
      sentence: `${at}: the code would now ${deed(now)}, where it was recorded to ${deed(was)}${moved}`,
    };
  }
  if (failure !== null && (was || !now))
    return { event, what: 'failed', sentence: `${at}: the code would fail here: ${oneLine(failure, 400)}` };
  if (was) return { event, what: 'missing', sentence: `${at}: the code would no longer ${deed(was)}` };
  // A further command after a run that was cut short is no difference.
  if (now && (ended || failure !== null))
    return { event, what: 'added', sentence: `${at}: the code would now also ${deed(now)}` };
  return null;
}

/** What differs between two commands with the same description. */
function otherwise(was: RecordedCommand, now: ReplayedCommand): string {
  if (was.id !== now.id) return `under the id ${oneLine(now.id)}, and ${oneLine(was.id)} was recorded`;
  if (was.kind !== now.kind) return `as a command of kind ${now.kind}, and one of kind ${was.kind} was recorded`;
  const [place] = findDifferences(was.fields, now.fields, 1);
  const field = place?.path.split('.')[0] ?? 'type';
  return `with ${fieldName(was.kind, field)}: ${value(place?.now, field)}, and ${value(place?.recorded, field)} was recorded`;
}

/** Drops deprecated patches that the others do not have: `deprecatePatch` allows runs with the patch and without it. */
function withoutOldPatches<C extends Command>(commands: C[], others: readonly Command[]): C[] {
  const marked = new Set(others.flatMap(({ kind, id }) => (kind === 'patch' ? [id] : [])));
  return commands.filter(({ kind, id, fields }) => kind !== 'patch' || fields.deprecated !== true || marked.has(id));
}

/** A reset gives the run a new id; before the reset, and during a replay, the run has its original id. */
function sameRun(original: string, runId: string | undefined): (place: Place) => boolean {
  if (!runId || runId === original) return () => false;
  return ({ recorded, now }) =>
    typeof recorded === 'string' &&
    typeof now === 'string' &&
    recorded.replaceAll(runId, original) === now.replaceAll(runId, original);
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
