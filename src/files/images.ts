/** Reads the structure of images, block by block, to their very end. Each function says what is wrong; null: nothing. */

/** Pixels of a side: vendors refuse larger images, and a browser that shows a small file must not need all its memory. */
const LONGEST_SIDE = 8000;
const SECOND_THING = 'something follows its end';
const CUT_SHORT = 'it is cut short';

function sizeFault(width: number, height: number): string | null {
  if (width === 0 || height === 0) return 'it has no size';
  if (width <= LONGEST_SIDE && height <= LONGEST_SIDE) return null;
  return `it is ${width} × ${height} pixels; at most ${LONGEST_SIDE} a side are allowed: make it smaller`;
}

const PNG_SIGNATURE = 8;
/** Length, type and checksum of a chunk. */
const PNG_FRAME = 12;

export function pngFault(bytes: Buffer): string | null {
  let size: string | null = 'it has no header';
  for (let at = PNG_SIGNATURE; at + PNG_FRAME <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + PNG_FRAME + length;
    if (!/^[A-Za-z]{4}$/.test(type) || end > bytes.length) return CUT_SHORT;
    if (at === PNG_SIGNATURE) {
      if (type !== 'IHDR' || length !== 13) return size;
      size = sizeFault(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
      if (size !== null) return size;
    }
    if (type === 'IEND') return end === bytes.length ? null : SECOND_THING;
    at = end;
  }
  return CUT_SHORT;
}

const GIF_SCREEN = 13;

export function gifFault(bytes: Buffer): string | null {
  if (!/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) || bytes.length < GIF_SCREEN)
    return 'its header is of no known version';
  const size = sizeFault(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  if (size !== null) return size;
  let at = GIF_SCREEN + colorTable(bytes[10]!);
  let images = 0;
  for (;;) {
    const block = bytes[at];
    if (block === 0x3b) return images === 0 ? 'it has no picture' : at + 1 === bytes.length ? null : SECOND_THING;
    if (block === 0x2c && at + 10 <= bytes.length) {
      images += 1;
      at = afterSubBlocks(bytes, at + 10 + colorTable(bytes[at + 9]!) + 1);
    } else if (block === 0x21) at = afterSubBlocks(bytes, at + 2);
    else return block === undefined ? CUT_SHORT : 'it has a block of no known kind';
  }
}

/** Bytes of the colour table that a field of flags announces. */
function colorTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function afterSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
  return at + 1;
}

const RIFF_HEADER = 12;

export function webpFault(bytes: Buffer): string | null {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return CUT_SHORT;
  if (end < bytes.length) return SECOND_THING;
  const first = bytes.toString('latin1', RIFF_HEADER, RIFF_HEADER + 4);
  const data = RIFF_HEADER + 8;
  if (bytes.length < data + 10) return CUT_SHORT;
  for (let at = RIFF_HEADER; at < end;) {
    if (at + 8 > end) return CUT_SHORT;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
    if (at > end) return CUT_SHORT;
  }
  switch (first) {
    case 'VP8 ':
      return sizeFault(bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(data + 1);
      return sizeFault((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sizeFault(bytes.readUIntLE(data + 4, 3) + 1, bytes.readUIntLE(data + 7, 3) + 1);
    default:
      return 'it has no picture';
  }
}

const SOS = 0xda;
const EOI = 0xd9;
const SOI = 0xd8;

/** Cameras put further pictures of the same scene behind the first one: nothing but such pictures may follow. */
export function jpegFault(bytes: Buffer): string | null {
  let at = 0;
  do {
    const picture = jpegPicture(bytes, at);
    if ('fault' in picture) return picture.fault;
    at = picture.end;
  } while (at < bytes.length);
  return null;
}

function jpegPicture(bytes: Buffer, from: number): { end: number } | { fault: string } {
  if (bytes[from] !== 0xff || bytes[from + 1] !== SOI) return { fault: SECOND_THING };
  let size: string | null = 'it has no picture';
  for (let at = from + 2; at + 2 <= bytes.length;) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff) return { fault: 'it has bytes between its segments' };
    if (marker === 0xff) {
      at += 1; // fill byte
      continue;
    }
    if (marker === EOI) return size === null ? { end: at + 2 } : { fault: size };
    if (isAlone(marker)) {
      at += 2;
      continue;
    }
    if (at + 4 > bytes.length) return { fault: CUT_SHORT };
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return { fault: CUT_SHORT };
    if (isFrame(marker)) {
      if (length < 8) return { fault: CUT_SHORT };
      size = sizeFault(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
      if (size !== null) return { fault: size };
    }
    at += 2 + length;
    if (marker === SOS) at = afterScan(bytes, at);
  }
  return { fault: CUT_SHORT };
}

/** Markers without a length: restarts, and TEM. */
function isAlone(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The place of the next marker that is neither a restart nor a byte of the picture itself. */
function afterScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && !isAlone(next)) return at;
  }
  return bytes.length;
}
