import { UsageError } from './exit';

/** What `--option NAME=VALUE`, given again and again, says. */
export function pairs(option: string, given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`${option} must be NAME=VALUE.`); // never shown: it may be a secret
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
