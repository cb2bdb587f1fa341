/**
 * Characters that nobody sees: two names that differ by them are one name. A list of its own, and not what this version of Unicode says, so
 * that every verifier has the same one and a new Node changes no verdict: docs/bundle-format.md has it, and packages/verify/python/verify_bundle.py.
 * General category Cf, Cc but for white space, Default_Ignorable_Code_Point, and what is drawn as nothing (U+2800, U+16FE4, U+1D159).
 */
export const UNSEEN_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x0, 0x8],
  [0xe, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x16fe4, 0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const code = (point: number) => `\\u{${point.toString(16)}}`;

export const UNSEEN = new RegExp(`[${UNSEEN_RANGES.map(([from, to]) => `${code(from)}-${code(to)}`).join('')}]`, 'gu');
