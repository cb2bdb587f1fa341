/**
 * The bundle of a turn whose worker was away for an hour. The next one answered a query before the task, from an event that no task had
 * processed yet: the workflow acted on it by the clock of the task before (decision 0103).
 */
import { forged, type OpenLine } from './forge';
import { attributes, ofType, type Find } from './open-lines';

const HOUR_MS = 3_600_000;
const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z/;
const TIMES = new RegExp(ISO_TIME, 'g');

/**
 * @param isSeen the event
 * @param later so many ms after that clock is the decision said to have been made
 * @param edit changes the lines afterwards
 */
export function seenByQuery(bundle: string, isSeen: Find, { edit = (_: OpenLine[]) => {}, later = 0 } = {}): Buffer {
  const { text } = forged(bundle, (lines) => {
    const at = lines.findIndex(isSeen);
    const seen = timeOf(lines[at]!);
    const [before, after] = [startBefore(lines, at), startAfter(lines, at)];
    const timeIn = (key: string) => (text: string) => {
      const ms = Date.parse(text);
      if (ms === after && !key.endsWith('Time')) return new Date(before).toISOString();
      // What is due half a day later was said before.
      if (ms < seen || ms > seen + 12 * HOUR_MS) return text;
      const [, seconds, fraction = ''] = ISO_TIME.exec(text)!;
      return `${new Date(Date.parse(`${seconds}Z`) + HOUR_MS).toISOString().slice(0, 19)}${fraction}Z`;
    };
    const moved = (key: string, value: any): unknown => {
      if (typeof value === 'string') return value.replaceAll(TIMES, timeIn(key));
      const isDecision = typeof value?.by === 'string' && value.at === new Date(before).toISOString();
      return isDecision ? { ...value, at: new Date(before + later).toISOString() } : value;
    };
    for (const [index, line] of lines.entries()) lines[index] = JSON.parse(JSON.stringify(line), moved) as OpenLine;
    edit(lines);
  });
  return Buffer.from(text);
}

const startOf = (lines: OpenLine[], id: string, from: number) =>
  lines.slice(0, from).findLast((line) => ofType('WORKFLOW_TASK_STARTED')(line) && line.body.event.eventId === id)!;
const timeOf = ({ body }: OpenLine) => Date.parse(body.event.eventTime as string);

function startBefore(lines: OpenLine[], at: number): number {
  const completed = lines.slice(0, at).findLast(ofType('WORKFLOW_TASK_COMPLETED'))!;
  return timeOf(startOf(lines, attributes(completed).startedEventId as string, at));
}

function startAfter(lines: OpenLine[], at: number): number {
  const index = lines.findIndex((line, n) => n > at && ofType('WORKFLOW_TASK_COMPLETED')(line));
  return timeOf(startOf(lines, attributes(lines[index]!).startedEventId as string, index));
}
