/** `holdfast schedule`: turns that begin by themselves. Those of an app are defined in the app; these commands see them too. */
import type { Command } from 'commander';
import type { ScheduleDefinition } from '../schedules/definition';
import type { Schedules } from '../client/schedules';
import { optional } from '../shared/json/optional';
import { spanInWords } from '../schedules/cron';
import { OVERLAPS, type Overlap } from '../shared/schedule';
import { durationMs } from '../shared/turn/turn-states';
import type { FiringView, ScheduleView } from '../shapes/schedule';
import { several, userName } from './support/decide-options';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

interface Creation {
  agent: string;
  cron: string[];
  every?: string;
  timezone?: string;
  overlap?: string;
  catchup?: string;
  costUsd?: string;
  window?: string;
  paused?: true;
}

const OVERLAP_OPTION = `if a turn goes on: ${OVERLAPS.join(', ')}`;

export function scheduleCommands(command: Command, output: () => Output): void {
  command
    .command('create')
    .description('Makes a schedule that no app defines. Workers leave it as it is.')
    .argument('<name>')
    .argument('<message...>', 'the message of each turn')
    .requiredOption('--agent <name>', 'the agent')
    .option('--cron <expression>', 'five fields, such as "0 7 * * 1-5", or @daily; may be given again', several, [])
    .option('--every <time>', '30s, 15m, 2h, 1d')
    .option('--timezone <name>', 'for --cron, such as Europe/Berlin; default: UTC')
    .option('--overlap <policy>', `${OVERLAP_OPTION}; default: skip`)
    .option('--catchup <time>', 'how late a turn may begin that the server could not start in time; default: 1d')
    .option('--cost-usd <amount>', 'no turn begins while those that ended within --window cost this much')
    .option('--window <time>', 'the period of --cost-usd; default: 1d')
    .option('--paused', 'it begins paused')
    .action(async (name: string, message: string[], options: Creation) => {
      const definition = definitionOf(name, message.join(' '), options);
      const note = options.paused ? `made paused by ${userName()}` : undefined;
      const view = await withSchedules((of) => of.create(definition, note));
      output().answer(view, describeWhole(view));
    });
  command
    .command('list')
    .description('Lists the schedules of this task queue, with their next time and their last turn.')
    .action(async () => {
      const list = await withSchedules((of) => of.list());
      output().answer(list, list.length === 0 ? ['There are no schedules.'] : list.map(describeLine));
    });
  command
    .command('show')
    .description('A schedule, its next times, and its last firings with their turns.')
    .argument('<name>')
    .action(async (name: string) => {
      const view = await withSchedules((of) => of.show(name));
      output().answer(view, describeWhole(view));
    });
  for (const [act, description, done] of ACTS)
    command
      .command(act)
      .description(description)
      .argument('<name>')
      .option('--note <text>', 'why, for people')
      .action(async (name: string, { note }: { note?: string }) => {
        const by = `${done} by ${userName()}`;
        const view = await withSchedules(async (of) => {
          await of[act](name, note === undefined ? by : `${note} (${by})`);
          return of.show(name);
        });
        output().answer(view, describeWhole(view));
      });
  command
    .command('trigger')
    .description('Fires now, also if it is paused. The requester of the turn is schedule/NAME.')
    .argument('<name>')
    .action(async (name: string) => {
      await withSchedules((of) => of.trigger(name));
      output().answer({ name, triggered: true }, [`Triggered: ${name}. \`holdfast schedule show ${name}\` shows its turn.`]);
    });
  command
    .command('backfill')
    .description('Fires the times of a period that has passed. A time that has fired before fires no second turn.')
    .argument('<name>')
    .requiredOption('--from <time>', 'such as 2026-11-20T00:00:00Z')
    .requiredOption('--until <time>', 'inclusive')
    .option('--overlap <policy>', `${OVERLAP_OPTION}; default: buffer_all, one after the other`)
    .action(async (name: string, options: { from: string; until: string; overlap?: string }) => {
      const [from, until] = [timeOf('--from', options.from), timeOf('--until', options.until)];
      await withSchedules((of) => of.backfill(name, { from, until, ...optional({ overlap: overlapOf(options.overlap) }) }));
      output().answer({ name, from, until, backfilled: true }, [
        `Fires the times of ${name} from ${from.toISOString()} until ${until.toISOString()}.`,
      ]);
    });
  command
    .command('delete')
    .description('Deletes a schedule. Its turns go on. One that the app still defines is made again when a worker starts.')
    .argument('<name>')
    .action(async (name: string) => {
      const { origin } = await withSchedules(async (of) => {
        const view = await of.show(name);
        await of.delete(name);
        return view;
      });
      const again = origin === 'app' ? ' If the app still defines it, a worker that starts makes it again.' : '';
      output().answer({ name, deleted: true }, [`Deleted: ${name}.${again}`]);
    });
}

const ACTS = [
  ['pause', 'Nothing fires until it is resumed. Its turns go on.', 'paused'],
  ['resume', 'Fires again. Times that have passed in the meantime do not fire.', 'resumed'],
] as const;

function withSchedules<R>(work: (of: Schedules) => Promise<R>): Promise<R> {
  return withClient((client) => work(client.schedules));
}

function definitionOf(name: string, message: string, options: Creation): ScheduleDefinition {
  const { agent, cron, every, timezone, catchup, costUsd, window = '1d' } = options;
  const windowMs = durationMs(window);
  if (windowMs === null) throw new UsageError(`--window ${JSON.stringify(window)} is no time such as 12h or 7d.`);
  return {
    name,
    agent,
    message,
    ...optional({ every, timezone, catchup, overlap: overlapOf(options.overlap), cron: cron.length === 0 ? undefined : cron }),
    ...(costUsd === undefined ? {} : { budget: { windowMs, costUsd: Number(costUsd) } }),
  };
}

function overlapOf(text: string | undefined): Overlap | undefined {
  if (text === undefined || (OVERLAPS as readonly string[]).includes(text)) return text as Overlap | undefined;
  throw new UsageError(`--overlap ${JSON.stringify(text)} is none of ${OVERLAPS.join(', ')}.`);
}

/** ISO 8601 with its zone, so that it means one moment. */
function timeOf(option: string, text: string): Date {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${option} ${JSON.stringify(text.slice(0, 40))} is no time such as 2026-11-20T07:00:00Z.`);
  return new Date(ms);
}

function describeLine({ name, agent, when, paused, note, next, firings }: ScheduleView): string {
  const state = paused ? `paused${note === null ? '' : `: ${oneLine(note)}`}` : `next ${next[0] ?? 'never'}`;
  const [last] = firings;
  return `${name}  ${oneLine(agent)}  ${oneLine(when)}  ${state}${last === undefined ? '' : `  last ${last.turn_id} ${last.state}`}`;
}

function describeWhole(view: ScheduleView): string[] {
  const { name, agent, message, when, overlap, catchup_ms, cost, requester, origin, paused, note, next, firings } = view;
  const { taken, skipped, missed, created_at, updated_at } = view;
  return [
    `${name}  ${oneLine(when)}${paused ? '  PAUSED' : ''}${note === null ? '' : `  ${oneLine(note)}`}`,
    `  agent ${oneLine(agent)}, as ${requester}: ${oneLine(message)}`,
    `  overlap ${overlap}, catch-up ${spanInWords(catchup_ms)}${cost === null ? '' : `, at most ${cost.cost_usd} USD in ${spanInWords(cost.window_ms)}`}`,
    `  ${origin === 'app' ? 'defined by the app' : 'made by a command'} ${created_at}${updated_at === null ? '' : `, changed ${updated_at}`}`,
    `  fired ${taken}, skipped ${skipped}, missed ${missed}`,
    `  next ${next.slice(0, 3).join(', ') || 'never'}`,
    ...firings.map(describeFiring),
  ];
}

function describeFiring({ scheduled_at, turn_id, state, reason }: FiringView): string {
  return `  ${scheduled_at}  ${turn_id}  ${state}${reason === null ? '' : `  ${oneLine(reason)}`}`;
}
