/**
 * Says why a Node version is too old; null: it is recent enough.
 * @param minimum `engines` of package.json, `>=20.3`
 */
export function nodeFault(minimum: string, running: string): string | null {
  const [major, minor] = numbers(minimum);
  const [ownMajor, ownMinor] = numbers(running);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return null;
  return `holdfast needs Node ${major}.${minor} or later; this is ${running}.`;
}

function numbers(version: string): [number, number] {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version)!;
  return [Number(major), Number(minor)];
}
