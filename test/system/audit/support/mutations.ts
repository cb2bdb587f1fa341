/** What somebody can do to a bundle without a key: lines left out, doubled, swapped; bytes changed, left out, put in; a file that is cut short. */
import { random } from '../../support/random';

export interface Mutation {
  name: string;
  bytes: Buffer;
  /** At one of these it must be found: the changed line, or the one after it where only the chain tells. */
  lines: number[];
}

/** Bytes that are tried in the place of another, beside it and one off: what ends a string, a line, a number, a character. */
const STRANGE = [0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5c, 0x7d, 0x80, 0xed, 0xff];

/** @param perLine changes of bytes in each line */
export function* mutations(bundle: Buffer, perLine = 1, seed = 1): Generator<Mutation> {
  const lines = linesOf(bundle);
  const next = random(seed);
  const whole = (name: string, changed: Buffer[], at: number): Mutation => ({ name, bytes: Buffer.concat(changed), lines: [at] });
  for (const [n, line] of lines.entries()) {
    const [before, after] = [lines.slice(0, n), lines.slice(n + 1)];
    yield whole(`line ${n} left out`, [...before, ...after], n);
    yield whole(`line ${n} doubled`, [...before, line, line, ...after], n + 1);
    if (n + 1 < lines.length) yield whole(`lines ${n} and ${n + 1} swapped`, [...before, after[0]!, line, ...after.slice(1)], n);
    yield whole(`cut short in line ${n}`, [...before, line.subarray(0, 1 + Math.floor(next() * (line.length - 1)))], n);
    for (let i = 0; i < perLine; i++) {
      const changed = changedBytes(line, next);
      yield { name: `line ${n}: ${changed.name}`, bytes: Buffer.concat([...before, changed.bytes, ...after]), lines: [n, n + 1] };
    }
  }
}

/** With their newlines. */
export function linesOf(bundle: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bundle.length;) {
    const end = bundle.indexOf(0x0a, from) + 1;
    lines.push(bundle.subarray(from, end));
    from = end;
  }
  return lines;
}

function changedBytes(line: Buffer, next: () => number): { name: string; bytes: Buffer } {
  const at = Math.floor(next() * line.length);
  const [before, byte, after] = [line.subarray(0, at), line[at]!, line.subarray(at + 1)];
  const strange = STRANGE[Math.floor(next() * STRANGE.length)]!;
  switch (Math.floor(next() * 5)) {
    case 0:
      return { name: `byte ${at} left out`, bytes: Buffer.concat([before, after]) };
    case 1:
      return { name: `byte ${strange} put in at ${at}`, bytes: Buffer.concat([before, Buffer.from([strange, byte]), after]) };
    case 2:
      return { name: `byte ${at} one more`, bytes: Buffer.concat([before, Buffer.from([(byte + 1) % 256]), after]) };
    case 3:
      return {
        name: `a bit of byte ${at} turned`,
        bytes: Buffer.concat([before, Buffer.from([byte ^ (1 << Math.floor(next() * 8))]), after]),
      };
    default:
      return {
        name: `byte ${at} to ${strange === byte ? strange ^ 1 : strange}`,
        bytes: Buffer.concat([before, Buffer.from([strange === byte ? strange ^ 1 : strange]), after]),
      };
  }
}
