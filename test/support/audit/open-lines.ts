/** Places in the opened lines of a bundle. */
import type { Json } from '../../../src/shared/json/json';
import type { OpenLine } from './forge';

export type Find = (line: OpenLine) => boolean;

/** A bundle changed under the stolen key: the sample, the change, and the line, the rule and the words by which it is found. */
export interface Plan {
  name: string;
  of: string;
  edit(lines: OpenLine[]): void;
  at(line: OpenLine, index: number, lines: OpenLine[]): boolean;
  rule: string;
  says: RegExp;
}

/** The attributes of an event; another line has none. */
export const attributes = ({ body }: OpenLine): any =>
  Object.entries(body.event ?? {}).find(([key]) => key.endsWith('Attributes'))?.[1] ?? {};

/** @param type without `EVENT_TYPE_` */
export const ofType =
  (type: string): Find =>
  (line) =>
    line.kind === 'event' && line.body.event.eventType === `EVENT_TYPE_${type}`;

/** Scheduled activities of this type, in order. */
export const scheduled = (lines: OpenLine[], name: string): OpenLine[] =>
  lines.filter((line) => attributes(line).activityType?.name === name);
export const valueOf = (line: OpenLine): any => attributes(line).input.payloads[0].$;
/** The argument and the result of the nth activity of this type. */
export const argument = (lines: OpenLine[], name: string, nth = 0): any => valueOf(scheduled(lines, name)[nth]!);
/** The line with the result of the nth activity of this type. */
export const answered = (lines: OpenLine[], name: string, nth = 0): OpenLine => {
  const asked = scheduled(lines, name)[nth]!;
  const { eventId } = asked.body.event;
  const after = lines.slice(lines.indexOf(asked)); // each run counts its events anew
  return after.find((line) => attributes(line).scheduledEventId === eventId && attributes(line).result)!;
};
export const result = (lines: OpenLine[], name: string, nth = 0): any =>
  attributes(answered(lines, name, nth)).result.payloads[0].$;
/** Bodies of the parts that have this. */
export const bodies = (lines: OpenLine[], has: (body: any) => unknown): any[] =>
  lines.filter(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {})).map(({ body }) => body.part.body);
/** The result of the turn that ended first. */
export const view = (lines: OpenLine[]): any =>
  attributes(lines.find(ofType('WORKFLOW_EXECUTION_COMPLETED'))!).result.payloads[0].$;

/** At the start of the nth activity of this type. */
export const activity =
  (name: string, nth = 0): Plan['at'] =>
  (line, _, lines) =>
    line === scheduled(lines, name)[nth];
/** At its result. */
export const answer =
  (name: string, nth = 0): Plan['at'] =>
  (line, _, lines) =>
    line === answered(lines, name, nth);
/** At the nth block of this kind; -1: the last. */
export const block =
  (kind: string, nth = 0): Plan['at'] =>
  (line, _, lines) =>
    line === lines.filter((one) => one.kind === 'block' && one.body.block.kind === kind).at(nth);
/** At the beginning of the second run. */
export const nextRun: Plan['at'] = (line, _, lines) => line === lines.filter(ofType('WORKFLOW_EXECUTION_STARTED'))[1];
/** A millisecond later. */
export const later = (at: string): string => new Date(Date.parse(at) + 1).toISOString();

/** The first line for which this holds. */
export const first =
  (is: (line: OpenLine, index: number, lines: OpenLine[]) => boolean): Plan['at'] =>
  (line, _, lines) =>
    line === lines.find((one, index) => is(one, index, lines));

/** The value of a payload that is no plain JSON to `forge.ts`, such as that of a search attribute. */
export const payload = (said: Json): string => Buffer.from(JSON.stringify(said)).toString('base64');

/** Search attributes that name no tool with a waiting call. */
export function noneWait(lines: OpenLine[]): void {
  for (const line of lines.filter(ofType('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES')))
    delete attributes(line).searchAttributes.indexedFields.HoldfastTool;
}
