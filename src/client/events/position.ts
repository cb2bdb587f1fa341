/**
 * The position of an event in its turn's history. It is the same for every reader at any time, so any gateway can resume from it.
 */
export interface Position {
  /** The turn's runs, counted from 1 over continue-as-new and resets. */
  run: number;
  /** Id of the history event that it was read from. */
  event: number;
  /** Index among the events that were read from one history event, from 0. */
  n: number;
}

const TEXT = /^([1-9]\d{0,5})-([1-9]\d{0,8})-(0|[1-9]\d{0,5})$/;

/** `<run>-<event>-<n>` */
export function positionText({ run, event, n }: Position): string {
  return `${run}-${event}-${n}`;
}

/** Null: the text is not a position. */
export function readPosition(text: string): Position | null {
  const match = TEXT.exec(text);
  return match && { run: Number(match[1]), event: Number(match[2]), n: Number(match[3]) };
}

export function isAfter(a: Position, b: Position | null): boolean {
  if (b === null || a.run !== b.run) return b === null || a.run > b.run;
  return a.event === b.event ? a.n > b.n : a.event > b.event;
}
