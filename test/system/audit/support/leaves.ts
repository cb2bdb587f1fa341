/** Every value of a bundle that is not made of others, and what somebody may put in its place. */
import type { OpenLine } from '../../../support/audit/forge';

export type Path = (string | number)[];

/** Of the lines whose content somebody else has written: events, parts, effect records. */
export function* leavesOf(lines: readonly OpenLine[]): Generator<{ line: number; path: Path }> {
  for (const [line, { kind, body }] of lines.entries())
    if (kind === 'event' || kind === 'session' || kind === 'part' || kind === 'effect')
      for (const path of leaves(body)) if (path[0] !== 'ref') yield { line, path };
}

function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return yield path;
  for (const [key, held] of Object.entries(value)) yield* leaves(held, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** Changes what stands there, in place. */
export function put(line: OpenLine, path: Path, change: (value: unknown) => unknown): void {
  const at = found(line, path.slice(0, -1));
  at[path.at(-1)!] = change(at[path.at(-1)!]);
}

/** Every object of a bundle below the bodies of its lines, for somebody to put fields in and to leave fields out. */
export function* objectsOf(lines: readonly OpenLine[]): Generator<{ line: number; path: Path }> {
  for (const [line, { body }] of lines.entries()) for (const path of objects(body)) yield { line, path };
}

function* objects(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [key, held] of Object.entries(value)) yield* objects(held, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** The value that stands there. */
export function found({ body }: OpenLine, path: Path): any {
  return path.reduce((at, key) => at?.[key], body);
}
