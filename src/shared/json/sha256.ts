/**
 * SHA-256: Node's own where there is one. Workflow code has no crypto module, and the workflow itself hashes what it passes to a
 * destructive activity, so there it is plain JavaScript (FIPS 180-4). Both give the same hash.
 */
import { utf8 } from '../text/utf8';

/** Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2). */
const K = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
/** Fractional parts of the square roots of the first 8 primes (section 5.3.3). */
const INITIAL = new Uint32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);

/** Absent in workflow code, and before Node 20.16. */
const crypto = (globalThis as { process?: Partial<NodeJS.Process> }).process?.getBuiltinModule?.('node:crypto');

/** @returns the SHA-256 of the bytes, or of the text's UTF-8 bytes: 64 lower-case hex characters */
export function sha256Hex(data: string | Uint8Array): string {
  return crypto ? crypto.hash('sha256', data) : plainSha256Hex(data);
}

const HASH = /^[0-9a-f]{64}$/;

/** True for 64 lower-case hex characters. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** As `sha256Hex`, without Node. */
export function plainSha256Hex(data: string | Uint8Array): string {
  const message = typeof data === 'string' ? utf8(data) : data;
  const state = new Uint32Array(INITIAL);
  const schedule = new Uint32Array(64);
  const whole = message.length - (message.length % 64);
  for (let at = 0; at < whole; at += 64) compress(state, schedule, message, at);
  const tail = padTail(message, whole);
  for (let at = 0; at < tail.length; at += 64) compress(state, schedule, tail, at);
  let hex = '';
  for (const word of state) hex += word.toString(16).padStart(8, '0');
  return hex;
}

/** The last bytes, 0x80, zeros, and the length in bits as 64-bit big-endian (section 5.1.1). */
function padTail(message: Uint8Array, from: number): Uint8Array {
  const rest = message.length - from;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(message.subarray(from));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(tail.length - 4, message.length << 3);
  return tail;
}

/** One round of section 6.2.2, over 64 bytes from `at`. */
function compress(state: Uint32Array, w: Uint32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0, i = at; t < 16; t++, i += 4) {
    w[t] = (bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!;
  }
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
  }
  let a = state[0]! | 0, b = state[1]! | 0, c = state[2]! | 0, d = state[3]! | 0; // oxfmt-ignore
  let e = state[4]! | 0, f = state[5]! | 0, g = state[6]! | 0, h = state[7]! | 0; // oxfmt-ignore
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t]! + w[t]!) | 0;
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
