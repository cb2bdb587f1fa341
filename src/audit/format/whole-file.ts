/** What the two ends of a file say of a bundle, without a look at what is between them. */

/** How a file begins that age has encrypted, in binary and as text. */
const OF_AGE = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/;
/** How a whole bundle ends, in canonical form. */
const END = /"kind":"(?:end|receipt)","n":\d+,"prev":"[0-9a-f]{64}"\}\n?$/;

/** Characters of the beginning and of the end that are looked at. */
export const ENDS = 200;

export function isEncrypted(beginning: string): boolean {
  return OF_AGE.test(beginning);
}

/** Null: it may be a whole bundle. Else why nobody knows what it says. */
export function unknownContent({ beginning, end }: { beginning: string; end: string }): string | null {
  if (isEncrypted(beginning)) return 'is encrypted, so nobody knows what it says';
  return END.test(end.slice(-ENDS)) ? null : 'is no whole bundle: it was cut short, or damaged';
}
