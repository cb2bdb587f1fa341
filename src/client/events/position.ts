/** Where an event of a turn stands in its history: the same for whoever reads it, at any time, so that any gateway can go on from there. */
export interface Position {
  /** The turn's runs, counted from 1 over continue-as-new and resets. */
  run: number;
  /** Of the history event that told of it. */
  event: number;
  /** Among those that one history event told of, from 0. */
  n: number;
}

const TEXT = /^([1-9]\d{0,5})-([1-9]\d{0,8})-(0|[1-9]\d{0,5})$/;

/** `<run>-<event>-<n>` */
export function positionText({ run, event, n }: Position): string {
  return `${run}-${event}-${n}`;
}

/** Null: it is not one that we have ever given. */
export function readPosition(text: string): Position | null {
  const found = TEXT.exec(text);
  return found && { run: Number(found[1]), event: Number(found[2]), n: Number(found[3]) };
}

export function isAfter(a: Position, b: Position | null): boolean {
  if (b === null || a.run !== b.run) return b === null || a.run > b.run;
  return a.event === b.event ? a.n > b.n : a.event > b.event;
}
