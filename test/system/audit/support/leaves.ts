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

/** Another value of the same type. */
export function another(value: any): any {
  if (value === null) return 'another';
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, 'another'];
  if (typeof value === 'object')
    return { ...value, [Object.keys(value)[0] ?? 'another']: another(Object.values(value)[0] ?? null) };
  if (value === 'applied') return 'not_applied';
  if (/^[0-9a-f]{64}$/.test(value)) return `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`;
  const time = /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? `${value}x` : new Date(time - 3_600_000).toISOString();
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
