/** Parses repeated options of the form NAME=VALUE. */
import { UsageError } from './exit';

/** The pairs of a repeated `--option NAME=VALUE`. */
export function pairs(option: string, values: string[]): Record<string, string> {
  return Object.fromEntries(
    values.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`${option} must be NAME=VALUE.`); // never shown: it may be a secret
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
