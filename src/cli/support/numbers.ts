import { InvalidArgumentError } from 'commander';

/** For commander: a whole number from 1. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** For commander: a TCP port. */
export function portNumber(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError('It must be a port from 1 to 65535.');
  return value;
}
