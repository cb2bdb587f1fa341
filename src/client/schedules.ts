/** Schedules: lists them with their next times and last firings, pauses, resumes and triggers them, and makes new ones. */
import { ScheduleAlreadyRunning, WorkflowNotFoundError, type Client, type ScheduleHandle } from '@temporalio/client';
import type { FiringView, ScheduleView } from '../shapes/schedule';
import type { TurnSummary } from '../shapes/turn-view';
import { timesInWords } from '../schedules/cron';
import { ownFaults, scheduleSettings, type ScheduleDefinition } from '../schedules/definition';
import { firingTurnId, SCHEDULE_NAME, scheduleId, type FiringReport, type Overlap } from '../shared/schedule';
import { createSchedule, findSchedule, overlapPolicy, scheduleNames, type FoundSchedule } from '../temporal/schedules';
import { InvalidRequest, ScheduleNotFound, TurnNotFound } from './errors';

/** Schedules that are asked about at once. */
const AT_ONCE = 8;
const MOST_NEXT = 10;
const MOST_FIRINGS = 10;
const LONGEST_NOTE = 500;

export interface Backfill {
  /** The times from here on, inclusive. */
  from: Date;
  until: Date;
  /** Default: one turn after the other (`buffer_all`), whatever the schedule's own policy is. */
  overlap?: Overlap;
}

export interface SchedulesOf {
  temporal: Client;
  taskQueue: string;
  /** @throws TurnNotFound */
  find(turnId: string): Promise<TurnSummary>;
}

export class Schedules {
  constructor(private readonly of: SchedulesOf) {}

  /** Those of this client's task queue, by name; each with its last firing. A new one is listed a moment after it was made. */
  async list({ limit = 200 }: { limit?: number } = {}): Promise<ScheduleView[]> {
    const { temporal, taskQueue } = this.of;
    const names: string[] = [];
    for await (const name of scheduleNames(temporal)) names.push(name);
    const views: ScheduleView[] = [];
    names.sort();
    for (let at = 0; at < names.length && views.length < limit; at += AT_ONCE) {
      const batch = names.slice(at, at + AT_ONCE).map(async (name) => {
        const schedule = await findSchedule(temporal, name, taskQueue);
        return schedule === null ? [] : [await this.view(schedule, 1)];
      });
      views.push(...(await Promise.all(batch)).flat());
    }
    return views.slice(0, limit);
  }

  /** @throws ScheduleNotFound */
  async show(name: string): Promise<ScheduleView> {
    return this.view(await this.find(name), MOST_FIRINGS);
  }

  /**
   * Makes a schedule that no app defines. Workers leave it as it is, and count no `budget.calls`, which is the app's to define.
   * @param pauseNote it begins paused, with this note
   * @throws InvalidRequest that lists every fault; also if there is one of this name
   */
  async create(definition: ScheduleDefinition, pauseNote?: string): Promise<ScheduleView> {
    const { temporal, taskQueue } = this.of;
    const faults = ownFaults(definition);
    if (definition.budget?.calls !== undefined) faults.push('budget.calls is for schedules of an app');
    if (faults.length > 0) throw new InvalidRequest(`The schedule is not well defined:\n- ${faults.join('\n- ')}`);
    const paused = pauseNote === undefined ? {} : { paused: noteOf(pauseNote) };
    try {
      await createSchedule(temporal, scheduleSettings(definition), 'command', { taskQueue, ...paused });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      throw new InvalidRequest(
        `There is a schedule ${JSON.stringify(definition.name)} already. Choose another name, or delete it.`,
      );
    }
    return this.show(definition.name);
  }

  /** Nothing fires until it is resumed, except by `trigger` and `backfill`. @throws ScheduleNotFound */
  async pause(name: string, note: string): Promise<void> {
    await (await this.handle(name)).pause(noteOf(note));
  }

  /** @throws ScheduleNotFound */
  async resume(name: string, note: string): Promise<void> {
    await (await this.handle(name)).unpause(noteOf(note));
  }

  /**
   * Fires now, also if it is paused; if a turn goes on, the schedule's own policy decides. Twice within a second is once.
   * @throws ScheduleNotFound
   */
  async trigger(name: string): Promise<void> {
    const { schedule } = await this.find(name);
    await (await this.handle(name)).trigger(overlapPolicy(schedule.overlap));
  }

  /** Fires the times of a period that has passed. A time that has fired before fires no second turn. @throws ScheduleNotFound, InvalidRequest */
  async backfill(name: string, { from, until, overlap = 'buffer_all' }: Backfill): Promise<void> {
    if (!(from.getTime() <= until.getTime())) throw new InvalidRequest('backfill: "from" must be a time before "until".');
    // The server takes the times after the beginning.
    const start = new Date(from.getTime() - 1);
    await (await this.handle(name)).backfill({ start, end: until, overlap: overlapPolicy(overlap) });
  }

  /** Its turns go on. @throws ScheduleNotFound */
  async delete(name: string): Promise<void> {
    await (await this.handle(name)).delete();
  }

  private async find(name: string): Promise<FoundSchedule> {
    const { temporal, taskQueue } = this.of;
    const schedule = SCHEDULE_NAME.test(name) ? await findSchedule(temporal, name, taskQueue) : null;
    if (schedule === null) throw new ScheduleNotFound(name);
    return schedule;
  }

  private async handle(name: string): Promise<ScheduleHandle> {
    await this.find(name);
    return this.of.temporal.schedule.getHandle(scheduleId(name));
  }

  private async view({ schedule, origin, description }: FoundSchedule, firings: number): Promise<ScheduleView> {
    const { state, info } = description;
    const recent = info.recentActions.slice(-firings).reverse();
    return {
      ...schedule,
      when: timesInWords(schedule),
      requester: scheduleId(schedule.name),
      origin,
      paused: state.paused,
      note: state.note || null,
      next: info.nextActionTimes.slice(0, MOST_NEXT).map((at) => at.toISOString()),
      firings: await Promise.all(recent.map((action) => this.firing(schedule.name, action))),
      taken: info.numActionsTaken,
      skipped: info.numActionsSkippedOverlap,
      missed: info.numActionsMissedCatchupWindow,
      created_at: info.createdAt.toISOString(),
      updated_at: info.lastUpdatedAt?.toISOString() ?? null,
    };
  }

  private async firing(name: string, { scheduledAt, takenAt, action }: RecentAction): Promise<FiringView> {
    const turn_id = firingTurnId(name, scheduledAt.getTime());
    const times = { scheduled_at: scheduledAt.toISOString(), started_at: takenAt.toISOString(), turn_id };
    try {
      const { state } = await this.of.find(turn_id);
      return { ...times, state, reason: null };
    } catch (error) {
      if (!(error instanceof TurnNotFound)) throw error;
      return { ...times, ...(await this.withoutTurn(action.workflow)) };
    }
  }

  /** What a firing says that has no turn. */
  private async withoutTurn({ workflowId, firstExecutionRunId }: RecentAction['action']['workflow']) {
    const handle = this.of.temporal.workflow.getHandle(workflowId, firstExecutionRunId);
    try {
      const { status } = await handle.describe();
      if (status.name === 'RUNNING') return { state: 'starting', reason: null };
      if (status.name !== 'COMPLETED')
        return { state: 'not_started', reason: `The firing has ended: ${status.name.toLowerCase()}.` };
      const { state, reason } = (await handle.result()) as FiringReport;
      return { state, reason };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      return { state: 'unknown', reason: 'Temporal does not know this firing any more.' };
    }
  }
}

type RecentAction = FoundSchedule['description']['info']['recentActions'][number];

/** @throws InvalidRequest */
function noteOf(text: string): string {
  if (text.length <= LONGEST_NOTE && text.isWellFormed()) return text;
  throw new InvalidRequest(`A note has at most ${LONGEST_NOTE} characters of well-formed text.`);
}
