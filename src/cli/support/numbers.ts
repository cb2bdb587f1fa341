/** Parses command-line options that are numbers. */
import { InvalidArgumentError } from 'commander';

/** For commander: a whole number from 1. */
export function wholeNumber(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(value >= 1)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** For commander: a TCP port; 0 stands for any free one. */
export function portNumber(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(value <= 65_535)) throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return value;
}

/** For commander: a number above 0, such as dollars. */
export function moreThanZero(text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
