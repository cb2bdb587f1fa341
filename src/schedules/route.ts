/**
 * The routes of schedules. Schedules belong to the operator: their turns' requester is `schedule/NAME`, and principals of a tenant see no
 * turns of others. A definition is changed in the app, or by the command line, and not here.
 */
import { z } from 'zod';
import { ScheduleNotFound } from '../client/errors';
import type { Schedules } from '../client/schedules';
import { exampleSchedule, scheduleList, scheduleView, type ScheduleView } from '../shapes/schedule';
import { scheduleId } from '../shared/schedule';
import { sees, type Principal } from '../gateway/auth/principals';
import type { GatewayParts, Route } from '../gateway/route';
import { acceptedAnswer, answer, answers, body, jsonSchema, postHeaders, type Acceptance } from '../gateway/schemas/common';

const SEE_OTHERS = ['approver', 'auditor', 'admin'] as const;
const tags = ['schedules'];
const params = jsonSchema(z.object({ name: z.string().max(100).describe('The name of a schedule.') }));
const noteBody = z.strictObject({ note: z.string().max(400).optional().describe('For people; the gateway adds your name.') });

const schemas = {
  list: {
    summary: 'The schedules',
    description:
      'Each with its next times and its last firing. A principal with a tenant sees none: schedules belong to the operator.',
    tags,
    response: answers({ 200: answer('The schedules.', scheduleList, { schedules: [exampleSchedule] }) }),
  },
  show: {
    summary: 'A schedule, with its last firings and their turns',
    tags,
    params,
    response: answers({ 200: answer('The schedule.', scheduleView, exampleSchedule) }, 404),
  },
  pause: act('Pause a schedule', 'Nothing fires until it is resumed. Its turns go on.', 'It is paused.'),
  resume: act('Resume a schedule', 'Times that have passed while it was paused do not fire.', 'It is resumed.'),
  trigger: {
    ...act(
      'Run a schedule now',
      'Also if it is paused. The requester of the turn is `schedule/NAME`, not you. If a turn of the schedule goes on, its overlap policy decides.',
      'Temporal fires it.',
    ),
    body: body(z.strictObject({}), {}),
  },
};

function act(summary: string, description: string, answerText: string) {
  return {
    summary,
    description,
    tags,
    params,
    headers: postHeaders,
    body: body(noteBody, { note: 'The bank is closed.' }),
    response: answers({ 200: acceptedAnswer(answerText) }, 404, 409),
  };
}

type Note = z.infer<typeof noteBody>;

export const schedules: Route = (app, parts) => {
  app.get<{ Reply: z.infer<typeof scheduleList> }>(
    '/v1/schedules',
    { schema: schemas.list, config: { roles: SEE_OTHERS } },
    async ({ principal }, reply) => {
      const all = seesSchedules(principal) ? await (await parts.client()).schedules.list() : [];
      return reply.header('cache-control', 'no-store').send({ schedules: all });
    },
  );

  app.get<{ Params: { name: string }; Reply: ScheduleView }>(
    '/v1/schedules/:name',
    { schema: schemas.show, config: { roles: SEE_OTHERS } },
    async ({ principal, params: { name } }, reply) =>
      reply.header('cache-control', 'no-store').send(await (await visible(parts, principal, name)).show(name)),
  );

  const acts = {
    pause: (of: Schedules, name: string, note: string) => of.pause(name, note),
    resume: (of: Schedules, name: string, note: string) => of.resume(name, note),
    trigger: (of: Schedules, name: string) => of.trigger(name),
  };
  for (const [act, run] of Object.entries(acts) as [keyof typeof acts, (typeof acts)['pause']][])
    app.post<{ Params: { name: string }; Body: Note; Reply: Acceptance }>(
      `/v1/schedules/:name/${act}`,
      { schema: schemas[act], config: { roles: ['admin'], keepsAnswer: true, startsWork: act === 'trigger' } },
      async ({ principal, params: { name }, body: { note } }, reply) => {
        await run(await visible(parts, principal, name), name, noteBy(principal, act, note));
        parts.log.info({ schedule: name, principal: principal.name, act }, 'schedule changed by a person');
        return reply.header('cache-control', 'no-store').send({ accepted: true });
      },
    );
};

/** @throws ScheduleNotFound for a principal who may not see it: as if there were none */
async function visible(parts: GatewayParts, principal: Principal, name: string): Promise<Schedules> {
  if (!seesSchedules(principal)) throw new ScheduleNotFound(name);
  return (await parts.client()).schedules;
}

function seesSchedules(principal: Principal): boolean {
  return sees(principal, scheduleId('any'));
}

const VERBS = { pause: 'paused', resume: 'resumed', trigger: 'run' } as const;

/** Temporal keeps one text, and not who wrote it. */
function noteBy({ name }: Principal, act: keyof typeof VERBS, note: string | undefined): string {
  const by = `${VERBS[act]} by ${name}`;
  return note === undefined || note.trim() === '' ? by : `${note.trim()} (${by})`;
}
