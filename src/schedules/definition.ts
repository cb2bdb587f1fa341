/** Schedules of an app: their definition, its faults, and their stored form with all defaults. */
import { isDeepStrictEqual } from 'node:util';
import { durationMs } from '../shared/turn/turn-states';
import { plainName } from '../shared/approval/approval';
import { isJsonObject, unknownFields } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { cronFault, isTimeZone, timesInWords } from './cron';
import { OVERLAPS, SCHEDULE_NAME, type Overlap, type ScheduleSettings } from '../shared/schedule';
import type { Budget } from '../tools/limits/budgets';

/** Starts a turn of an agent at set times, as the principal `schedule/NAME`. It has either `cron` or `every`. */
export interface ScheduleDefinition {
  /** `[A-Za-z0-9][A-Za-z0-9._-]{0,49}`; its turns are `NAME-20261122T070000Z`. */
  name: string;
  /** Five fields (minute, hour, day of month, month, day of week), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`; one or several. */
  cron?: string | readonly string[];
  /** `30s`, `15m`, `2h`, `1d`, or ms: whole seconds. Counted from 1970, so that it does not depend on when the schedule was made. */
  every?: string | number;
  /** IANA name, for `cron`. Default UTC. */
  timezone?: string;
  /** Name of an agent of the app. */
  agent: string;
  /** The message of each turn, at most 20,000 characters. */
  message: string;
  /**
   * If a turn of the schedule goes on when the next one is due: `skip` it (default), begin it afterwards (`buffer_one`, `buffer_all`), cancel the
   * turn that goes on (`cancel_other`), or run both (`allow_all`).
   */
  overlap?: Overlap;
  /** How late a turn may begin that the server could not start in time, as for `every`. Default `1d`; at least `10s`. */
  catchup?: string | number;
  budget?: ScheduleBudget;
}

/** What the turns of a schedule may spend together in any period of `windowMs`. */
export interface ScheduleBudget {
  windowMs: number;
  /** No turn begins while those that ended in the period cost this much, USD. */
  costUsd?: number;
  /** For destructive calls, as in the budgets of an agent (docs/budgets.md). */
  calls?: Pick<Budget, 'tools' | 'measure' | 'cap' | 'exhausted'>;
}

const FIELDS: Readonly<Record<keyof ScheduleDefinition, true>> = {
  name: true,
  cron: true,
  every: true,
  timezone: true,
  agent: true,
  message: true,
  overlap: true,
  catchup: true,
  budget: true,
};
const MOST = 500;
const MOST_CRONS = 10;
const LONGEST_MESSAGE = 20_000;
const LONGEST_MS = 365 * 86_400_000;
const DEFAULT_CATCHUP_MS = 86_400_000;
const LEAST_CATCHUP_MS = 10_000;

/** Every fault of an app's schedules, as messages. */
export function scheduleFaults(schedules: unknown, agents: readonly string[]): string[] {
  if (schedules === undefined) return [];
  if (!Array.isArray(schedules)) return ['schedules must be a list'];
  if (schedules.length > MOST) return [`there are ${schedules.length} schedules; at most ${MOST}`];
  const names = schedules.map((one: Partial<ScheduleDefinition> | null) => plainName(String(one?.name)));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => `two schedules have the name ${JSON.stringify(name)}`),
    ...schedules.flatMap((one: unknown, index) => {
      if (!isJsonObject(one as never)) return [`schedules[${index}] must be an object`];
      const definition = one as ScheduleDefinition;
      const at = SCHEDULE_NAME.test(definition.name) ? `schedule ${definition.name}` : `schedules[${index}]`;
      return [...ownFaults(definition), ...agentFaults(definition, agents)].map((fault) => `${at}: ${fault}`);
    }),
  ];
}

function agentFaults({ agent }: ScheduleDefinition, agents: readonly string[]): string[] {
  if (agents.includes(agent)) return [];
  return [`the app has no agent ${JSON.stringify(agent)}; its agents are ${agents.join(', ')}`];
}

/** The faults that a schedule has in itself. */
export function ownFaults(definition: ScheduleDefinition): string[] {
  const { name, message, timezone = 'UTC', overlap = 'skip', catchup } = definition;
  const catchupMs = catchup === undefined ? DEFAULT_CATCHUP_MS : durationMs(catchup);
  const faults: [boolean, string][] = [
    [!SCHEDULE_NAME.test(name), `name ${JSON.stringify(name)} must match ${SCHEDULE_NAME.source}`],
    [typeof message !== 'string' || message.trim() === '', 'message is empty'],
    [
      typeof message === 'string' && (message.length > LONGEST_MESSAGE || !message.isWellFormed()),
      `message must be well-formed text of at most ${LONGEST_MESSAGE} characters`,
    ],
    [
      typeof timezone !== 'string' || !isTimeZone(timezone),
      `there is no time zone ${JSON.stringify(timezone)}; use an IANA name such as Europe/Berlin`,
    ],
    [!OVERLAPS.includes(overlap), `overlap is ${JSON.stringify(overlap)}; it must be one of ${OVERLAPS.join(', ')}`],
    [
      catchupMs === null || catchupMs < LEAST_CATCHUP_MS || catchupMs > LONGEST_MS,
      `catchup is ${JSON.stringify(catchup)}; it must be from 10s to 365d, such as "1h"`,
    ],
  ];
  return [
    ...unknownFields(definition, Object.keys(FIELDS)),
    ...faults.filter(([wrong]) => wrong).map(([, text]) => text),
    ...timeFaults(definition),
    ...budgetFaults(definition.budget),
  ];
}

function timeFaults({ cron, every }: ScheduleDefinition): string[] {
  if (cron !== undefined && every !== undefined) return ['it has both cron and every; give one of them'];
  if (cron === undefined && every === undefined) return ['it has no times; give cron or every'];
  if (every !== undefined) {
    const ms = durationMs(every);
    const fits = ms !== null && ms >= 1000 && ms % 1000 === 0 && ms <= LONGEST_MS;
    return fits ? [] : [`every is ${JSON.stringify(every)}; it must be whole seconds up to 365d, such as "30s", "15m" or "1d"`];
  }
  const list: readonly unknown[] = Array.isArray(cron) ? cron : [cron];
  if (list.length === 0 || list.length > MOST_CRONS) return [`cron must be one expression, or a list of 1 to ${MOST_CRONS}`];
  return list.flatMap((text) => {
    const fault = typeof text === 'string' ? cronFault(text) : 'it must be text';
    return fault === null ? [] : [`cron ${JSON.stringify(text)}: ${fault}`];
  });
}

/**
 * What an agent's own check of budgets says of `calls` comes from there.
 * @param limits fields that may limit something
 */
export function budgetFaults(
  budget: ScheduleBudget | undefined,
  limits: readonly ('costUsd' | 'calls')[] = ['costUsd', 'calls'],
): string[] {
  if (budget === undefined) return [];
  if (!isJsonObject(budget as never)) return ['budget must be an object'];
  const { windowMs, costUsd, calls } = budget;
  const faults: [boolean, string][] = [
    [
      !(Number.isSafeInteger(windowMs) && windowMs >= 1000 && windowMs <= LONGEST_MS),
      `budget.windowMs is ${windowMs}; it must be ms, an integer from 1000 to a year`,
    ],
    [
      costUsd !== undefined && !(Number.isFinite(costUsd) && costUsd > 0),
      `budget.costUsd is ${costUsd}; it must be a positive number`,
    ],
    [costUsd === undefined && calls === undefined, `budget limits nothing; give ${limits.join(' or ')}`],
    [calls !== undefined && !isJsonObject(calls as never), 'budget.calls must be an object'],
  ];
  return [
    ...unknownFields(budget, ['windowMs', ...limits], 'budget'),
    ...unknownFields(calls, ['tools', 'measure', 'cap', 'exhausted'], 'budget.calls'),
    ...faults.filter(([wrong]) => wrong).map(([, text]) => text),
  ];
}

/** The stored form of a definition without faults. */
export function scheduleSettings(definition: ScheduleDefinition): ScheduleSettings {
  const { name, cron, every, timezone = 'UTC', agent, message, overlap = 'skip', catchup, budget } = definition;
  return {
    name,
    cron: cron === undefined ? null : typeof cron === 'string' ? [cron] : [...cron],
    every_ms: every === undefined ? null : durationMs(every),
    timezone,
    agent,
    message,
    overlap,
    catchup_ms: catchup === undefined ? DEFAULT_CATCHUP_MS : durationMs(catchup)!,
    cost: budget?.costUsd === undefined ? null : { cost_usd: budget.costUsd, window_ms: budget.windowMs },
  };
}

/** `morning (at 07:00 on Mon-Fri, Europe/Berlin)` */
export function scheduleInWords(definition: ScheduleDefinition): string {
  return `${definition.name} (${timesInWords(scheduleSettings(definition))})`;
}

/** A schedule or trigger: what starts turns, and is no person. */
export interface BudgetedStarter {
  agent: string;
  /** Of its turns: `schedule/NAME`. Its budget has the name `schedule.NAME`. */
  requester: string;
  budget?: Pick<ScheduleBudget, 'windowMs' | 'calls'>;
}

/**
 * An agent's budgets with those that its schedules and triggers have for calls. Such a budget measures nothing in turns of other
 * requesters, so it is part of the agent's policy as any other: on cards, in the record and for an auditor.
 */
export function budgetsWithStarters(
  agent: string,
  budgets: readonly Budget[] | undefined,
  starters: readonly BudgetedStarter[],
): readonly Budget[] | undefined {
  const added = starters.filter((one) => one.agent === agent).flatMap(callBudget);
  if (added.length === 0) return budgets;
  // An app that is defined again, as a loaded module is, has them already.
  const own = (Array.isArray(budgets) ? budgets : []).filter((budget) => !added.some((one) => isDeepStrictEqual(one, budget)));
  return Object.freeze([...own, ...added]);
}

function callBudget({ requester, budget }: BudgetedStarter): Budget[] {
  if (budget?.calls === undefined) return [];
  const { tools, measure = 'count', cap, exhausted } = budget.calls;
  const amount = measure === 'count' ? '1' : measure;
  return [
    {
      name: requester.replace('/', '.'),
      tools,
      per: 'principal',
      windowMs: budget.windowMs,
      measure: `turn.requester == ${JSON.stringify(requester)} ? (${amount}) : 0`,
      cap,
      ...optional({ exhausted }),
    },
  ];
}
