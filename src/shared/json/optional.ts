/** The same fields without those that are undefined: canonical JSON refuses these, and a reader would find their names. */
export function optional<T extends object>(fields: T): Optional<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Optional<T>;
}

/** Fields that may be undefined are optional. */
export type Optional<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
