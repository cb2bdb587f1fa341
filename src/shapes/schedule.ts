/** Schemas of schedules: their settings, their next times and their last firings. Wire format: snake_case. */
import { z } from 'zod';
import { OVERLAPS } from '../shared/schedule';

const time = z.string().meta({ format: 'date-time' });

export const firingView = z.object({
  scheduled_at: time.describe('The time that fired, or when somebody triggered it.'),
  started_at: time.describe('When Temporal started the firing.'),
  turn_id: z.string(),
  state: z
    .string()
    .describe(
      'That of the turn; `starting`: no turn yet; `not_started`: no turn began, as `reason` says; `unknown`: Temporal knows neither any more.',
    ),
  reason: z.string().nullable(),
});
export type FiringView = z.infer<typeof firingView>;

export const scheduleView = z.object({
  name: z.string(),
  agent: z.string(),
  message: z.string(),
  when: z.string().describe('The times in words.'),
  cron: z.array(z.string()).nullable().describe('Null: it has an interval.'),
  every_ms: z.number().int().nullable().describe('Null: it has cron expressions.'),
  timezone: z.string(),
  overlap: z.enum(OVERLAPS).describe('What happens when a turn of the schedule still goes on.'),
  catchup_ms: z.number().int().describe('How late a turn may begin that the server could not start in time.'),
  cost: z
    .object({ cost_usd: z.number(), window_ms: z.number().int() })
    .nullable()
    .describe('No turn begins while those that ended within the window cost this much; null: no limit.'),
  requester: z.string().describe('Of its turns.'),
  origin: z
    .enum(['app', 'command'])
    .describe('`app`: workers keep it as the app defines it; `command`: `holdfast schedule create` made it.'),
  paused: z.boolean(),
  note: z.string().nullable().describe('What was said when it was last paused or resumed.'),
  next: z.array(time).describe('The next times, also of a schedule that is paused; at most 10.'),
  firings: z.array(firingView).describe('The newest first: at most 10, in a list 1.'),
  taken: z.number().int().describe('Firings so far.'),
  skipped: z.number().int().describe('Times that were skipped because a turn still went on.'),
  missed: z.number().int().describe('Times that passed while the server was away, for longer than `catchup_ms`.'),
  created_at: time,
  updated_at: time.nullable().describe('When it was last changed, paused or resumed; null: never.'),
});
export type ScheduleView = z.infer<typeof scheduleView>;

export const scheduleList = z.object({ schedules: z.array(scheduleView) });

export const exampleSchedule: ScheduleView = {
  ...{ name: 'morning', agent: 'payables', message: 'Pay the due invoices.', when: 'at 07:00 on Mon-Fri, Europe/Berlin' },
  ...{ cron: ['0 7 * * 1-5'], every_ms: null, timezone: 'Europe/Berlin', overlap: 'skip', catchup_ms: 86_400_000, cost: null },
  ...{ requester: 'schedule/morning', origin: 'app', paused: false, note: null, next: ['2026-11-23T06:00:00.000Z'] },
  firings: [
    {
      scheduled_at: '2026-11-20T06:00:00.000Z',
      started_at: '2026-11-20T06:00:00.214Z',
      turn_id: 'morning-20261120T060000Z',
      state: 'awaiting_approval',
      reason: null,
    },
  ],
  ...{ taken: 12, skipped: 0, missed: 0, created_at: '2026-11-05T10:00:00.000Z', updated_at: null },
};
