import { createLog } from '../../src/telemetry/log';

export type Line = Record<string, any>;

/** A log whose lines a test can read. */
export function capturedLog(level = 'trace') {
  const written: string[] = [];
  return {
    log: createLog(level, { write: (text: string) => void written.push(text) }),
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line) as Line),
    /** The lines with this message. */
    said: (message: string) => written.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message),
  };
}
