/**
 * Cron expressions, as far as schedules take them: five fields, or a shorthand. Temporal computes the times; here a wrong expression
 * is found when the app is defined, and times are put into words. Temporal's forms with six or seven fields are left out, since other
 * crons read them otherwise.
 */
import type { ScheduleSettings } from '../shared/schedule';

interface Field {
  name: string;
  from: number;
  to: number;
  /** Names from the first value on. */
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: MONTHS },
  { name: 'day of week', from: 0, to: 7, names: DAYS },
];
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

/** What is wrong with an expression; null: nothing. */
export function cronFault(text: string): string | null {
  if (Object.hasOwn(SHORTHANDS, text)) return null;
  if (text.startsWith('@')) return `there is no ${JSON.stringify(text)}; shorthands: ${Object.keys(SHORTHANDS).join(', ')}`;
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length || parts.includes(''))
    return 'five fields with one space between them are needed: minute, hour, day of month, month, day of week';
  const faults = parts.map((part, index) => fieldFault(part, FIELDS[index]!)).filter((fault) => fault !== null);
  return faults[0] ?? null;
}

function fieldFault(text: string, { name, from, to, names = [] }: Field): string | null {
  for (const part of text.split(',')) {
    const [, first, last, step] =
      /^(\*|[0-9]{1,2}|[A-Za-z]{3})(?:-([0-9]{1,2}|[A-Za-z]{3}))?(?:\/([0-9]{1,2}))?$/.exec(part) ?? [];
    const wrong = `${name} is ${JSON.stringify(part)}`;
    if (first === undefined || (first === '*' && last !== undefined))
      return `${wrong}; it must be *, a number, a range such as ${from}-${to}, or one of these with a step such as */2`;
    const values = [first, last].filter((one) => one !== undefined && one !== '*').map((one) => valueOf(one!, from, names));
    if (values.some((value) => value === null || value < from || value > to)) return `${wrong}; it must be from ${from} to ${to}`;
    if (values.length === 2 && values[0]! > values[1]!) return `${wrong}; a range begins with its smaller end`;
    if (step !== undefined && Number(step) === 0) return `${wrong}; a step is 1 or more`;
  }
  return null;
}

function valueOf(text: string, from: number, names: readonly string[]): number | null {
  if (/^[0-9]/.test(text)) return Number(text);
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? null : index + from;
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** When a schedule fires, in words: `every 30 s`; `at 07:00 on Mon-Fri, Europe/Berlin`; else the expression itself. */
export function timesInWords({ cron, every_ms, timezone }: Pick<ScheduleSettings, 'cron' | 'every_ms' | 'timezone'>): string {
  if (cron === null) return `every ${spanInWords(every_ms ?? 0)}`;
  return `${cron.map(cronInWords).join(', and ')}, ${timezone}`;
}

const UNITS: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** In the largest unit that divides it: `90 s`, `2 h`. */
export function spanInWords(ms: number): string {
  const [length, unit] = UNITS.find(([each]) => ms >= each && ms % each === 0) ?? [1, 'ms'];
  return `${ms / length} ${unit}`;
}

function cronInWords(expression: string): string {
  const text = SHORTHANDS[expression] ?? expression;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.split(' ');
  const everyDay = day === '*' && month === '*';
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined && hour === '*' && everyDay && weekday === '*') return `every ${step} min of the hour`;
  if (!/^\d+$/.test(minute) || month !== '*') return `cron ${expression}`;
  if (hour === '*' && everyDay && weekday === '*') return `every hour at minute ${minute}`;
  if (!/^\d+(?:,\d+)*$/.test(hour) || (day !== '*' && weekday !== '*')) return `cron ${expression}`;
  const times = hour.split(',').map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
  const at = `at ${times.join(', ')}`;
  if (weekday !== '*') return `${at} on ${weekdaysInWords(weekday)}`;
  return day === '*' ? `${at} every day` : `${at} on day ${day} of the month`;
}

function weekdaysInWords(text: string): string {
  const name = (part: string) => {
    const word = /^\d$/.test(part) ? DAYS[Number(part) % 7]! : part.toLowerCase();
    return `${word[0]!.toUpperCase()}${word.slice(1)}`;
  };
  return text.replace(/[A-Za-z]{3}|(?<![/\d])\d/g, name).replaceAll(',', ', ');
}
