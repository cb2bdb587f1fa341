/**
 * Brings the schedules in Temporal in line with those of the app, when a worker starts or serves another app, and when its version
 * becomes the current one. The app's word counts for the schedules that it made; those of commands are left alone. One that the app
 * no longer has is paused, with a note: a worker of an older release that starts again must not delete what a newer one made.
 */
import { ScheduleAlreadyRunning, type Client } from '@temporalio/client';
import type { App } from '../agents/define';
import { scheduleSettings } from './definition';
import { hashJson } from '../shared/json/digests';
import { scheduleId, type ScheduleSettings } from '../shared/schedule';
import { errorMessage } from '../shared/text/error-message';
import { createSchedule, findSchedule, scheduleNames, updateSchedule, type FoundSchedule } from '../temporal/schedules';
import type { ToolLogger } from '../tools/define/tool';

/** Begins the note of a schedule that a worker paused; one with this note goes on when the app has it again. */
export const GONE_NOTE = 'Not in the app any more';

interface Place {
  client: Client;
  taskQueue: string;
  log: ToolLogger;
}

/** For an app that says nothing of schedules: only reports what goes on. Never throws. */
export async function reportSchedules(place: Place): Promise<void> {
  try {
    for await (const name of scheduleNames(place.client)) {
      const found = await findSchedule(place.client, name, place.taskQueue);
      if (found === null || found.origin === 'command' || found.description.state.paused) continue;
      const todo = `define it in the app, or stop it: holdfast schedule delete ${name}`;
      place.log.warn({ schedule: name, todo }, 'a schedule goes on, and the app has no schedules');
    }
  } catch (error) {
    place.log.debug({ error: errorMessage(error) }, 'schedules could not be listed');
  }
}

/** How often a worker looks whether its version is the current one, ms. */
const LOOK_EVERY_MS = 60_000;

interface OwnVersion {
  isCurrent: () => Promise<boolean>;
  /** Whether the worker has ended. */
  hasEnded: () => boolean;
}

/**
 * Applies the schedules of the app that the worker serves. It does so only while its version is the current one: Temporal gives the
 * firings to that version, which signs those of its own app only. Never throws.
 * @param version null: whatever is current
 * @returns takes the schedules of the app that the worker serves next
 */
export async function keepSchedules(
  place: Place,
  first: App['schedules'],
  version: OwnVersion | null = null,
): Promise<(next: App['schedules']) => Promise<void>> {
  const { log } = place;
  let schedules = first;
  /** Null: nothing is known yet. */
  let isApplied: boolean | null = null;
  const look = async () => {
    if (schedules === undefined) return;
    try {
      if (version !== null && !(await version.isCurrent())) {
        if (isApplied !== false) log.info({}, 'schedules stay as they are: this version is not the current one');
        isApplied = false;
      } else if (isApplied !== true) {
        isApplied = true;
        await applySchedules(place, schedules);
      }
    } catch (error) {
      log.warn({ error: errorMessage(error) }, 'schedules stay as they are: the current version is not known');
    }
  };
  await look();
  if (version !== null) {
    const timer = setInterval(() => (version.hasEnded() ? clearInterval(timer) : void look()), LOOK_EVERY_MS).unref();
  }
  return (next) => {
    schedules = next;
    isApplied = false;
    return look();
  };
}

/** Never throws: a worker serves its turns although a schedule could not be changed; the log says what to do. */
export async function applySchedules(place: Place, schedules: NonNullable<App['schedules']>): Promise<void> {
  const { log } = place;
  try {
    const all = schedules.map(scheduleSettings);
    for (const settings of all) await orLog(place, settings.name, () => apply(place, settings));
    const names = new Set(all.map(({ name }) => name));
    for await (const name of scheduleNames(place.client))
      if (!names.has(name)) await orLog(place, name, () => setAside(place, name));
  } catch (error) {
    log.error({ error: errorMessage(error), todo: TODO }, 'schedules could not be listed');
  }
}

const TODO = 'see whether Temporal answers, and start a worker again; until then the schedules stay as they are';

async function orLog({ log }: Place, schedule: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ schedule, error: errorMessage(error), todo: TODO }, 'a schedule could not be brought up to date');
  }
}

async function apply(place: Place, settings: ScheduleSettings): Promise<void> {
  const { client, taskQueue, log } = place;
  const { name: schedule, agent } = settings;
  const found = await findSchedule(client, schedule, taskQueue);
  if (found === null) {
    try {
      await createSchedule(client, settings, 'app', { taskQueue });
      return log.info({ schedule, agent }, 'schedule created');
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      // Another worker was faster, or the name is taken.
      const other = await findSchedule(client, schedule, taskQueue);
      if (other === null) return log.error({ schedule, todo: NAME_CONFLICT }, 'the name of a schedule is taken');
      return update(place, settings, other);
    }
  }
  return update(place, settings, found);
}

const NAME_CONFLICT = 'another task queue or program of this namespace has a schedule of this name: choose another name';

async function update({ client, taskQueue, log }: Place, settings: ScheduleSettings, existing: FoundSchedule): Promise<void> {
  const { name: schedule } = settings;
  if (existing.origin === 'command') {
    const todo = `the schedule of the command runs, and that of the app does not: delete it (holdfast schedule delete ${schedule}), or rename one`;
    return log.error({ schedule, todo }, 'a command has made a schedule of this name');
  }
  const changed = changedFields(existing.schedule, settings);
  if (changed.length > 0) {
    await updateSchedule(client, settings, 'app', taskQueue);
    log.info({ schedule, changed }, 'schedule updated');
  }
  const { paused, note } = existing.description.state;
  if (!paused || note?.startsWith(GONE_NOTE) !== true) return;
  await client.schedule.getHandle(scheduleId(schedule)).unpause('In the app again');
  log.info({ schedule }, 'schedule resumed: the app has it again');
}

/** Names of the settings that differ. */
export function changedFields(before: ScheduleSettings, after: ScheduleSettings): string[] {
  const value = (settings: ScheduleSettings, name: string) =>
    hashJson([(settings as unknown as Record<string, null>)[name] ?? null]);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => value(before, name) !== value(after, name),
  );
}

async function setAside({ client, taskQueue, log }: Place, schedule: string): Promise<void> {
  const found = await findSchedule(client, schedule, taskQueue);
  if (found === null || found.origin === 'command' || found.description.state.paused) return;
  const todo = `holdfast schedule delete ${schedule}, or define it again`;
  const note = `${GONE_NOTE} (${new Date().toISOString()}); a worker paused it`;
  await client.schedule.getHandle(scheduleId(schedule)).pause(note);
  log.warn({ schedule, todo }, 'schedule paused: the app does not have it any more');
}
