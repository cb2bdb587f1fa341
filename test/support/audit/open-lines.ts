/** Where things stand in the opened lines of a bundle. */
import type { OpenLine } from './forge';

export type Find = (line: OpenLine) => boolean;

/** A bundle changed under the stolen key: of which sample, how, and at which line it is found, by which rule, in which words. */
export interface Plan {
  name: string;
  of: string;
  edit(lines: OpenLine[]): void;
  at(line: OpenLine, index: number, lines: OpenLine[]): boolean;
  rule: string;
  says: RegExp;
}

/** Of an event; of another line none. */
export const attributes = ({ body }: OpenLine): any =>
  Object.entries(body.event ?? {}).find(([key]) => key.endsWith('Attributes'))?.[1] ?? {};

/** @param type without `EVENT_TYPE_` */
export const ofType =
  (type: string): Find =>
  (line) =>
    line.kind === 'event' && line.body.event.eventType === `EVENT_TYPE_${type}`;
