/** Adds receipts to bundles: lines after the trailer, which the trailer's signature does not cover (docs/bundle-format.md). */
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { sha256Hex } from '../../shared/json/sha256';
import { syncDir } from '../../store/files/atomic-file';
import { receiptsFor, type ReceiptServices } from '../../witness/client';
import type { Receipt, TrailerHashes } from '../../witness/receipt';
import type { EndBody } from '../format/lines';
import type { ReadLine } from '../format/reader';
import { NotWhole, readWhole } from '../format/whole';
import { LineWriter } from '../format/writer';

/** What receipts are asked for, and where their lines go. */
export interface Trailer {
  about: TrailerHashes & { text: string };
  /** After the last line of the bundle, which may be a receipt. */
  writer: LineWriter;
  /** Those that the bundle has. */
  receipts: Receipt[];
}

/** @param text the line with the trailer, with its newline or without */
export function trailerIn(text: string): Trailer {
  const line = text.trimEnd();
  const { n, body } = JSON.parse(line) as { n: number; body: EndBody };
  const end = sha256Hex(line);
  const writer = Object.assign(new LineWriter(), { lines: n + 1, last: end });
  return { about: { root: body.root, end, previous: body.previous?.root ?? null, text: line }, writer, receipts: [] };
}

/** The lines of a bundle, and behind its trailer those of the receipts that the services give. @param note gets what failed */
export async function* withReceipts(
  lines: AsyncIterable<string>,
  services: ReceiptServices,
  note: (faults: string[]) => void,
): AsyncGenerator<string> {
  let last = '';
  for await (const line of lines) {
    last = line;
    yield line;
  }
  if (services.witness === null && services.timestamp === null) return;
  const { about, writer } = trailerIn(last);
  const { receipts, faults } = await receiptsFor(services, about);
  for (const receipt of receipts) yield writer.line('receipt', receipt);
  if (faults.length > 0) note(faults);
}

/** Reads a whole bundle. @throws NotWhole; what the disk throws */
export async function readTrailer(path: string): Promise<Trailer> {
  let trailer: Trailer | null = null;
  const take = (line: ReadLine) => {
    if (line.kind === 'end') trailer = trailerIn(Buffer.from(line.bytes).toString('utf8'));
    if (line.kind !== 'receipt' || trailer === null) return;
    trailer.receipts.push(line.body);
    Object.assign(trailer.writer, { lines: line.n + 1, last: line.hash });
  };
  await readWhole(createReadStream(path), take);
  if (trailer === null) throw new NotWhole('This is no whole bundle: it has no trailer.');
  return trailer;
}

/**
 * Asks for the receipts that a bundle lacks, and adds them: the file has them all, or is as it was.
 * @returns those that were added, and what failed
 * @throws NotWhole; what the disk throws
 */
export async function completeReceipts(path: string, services: ReceiptServices): Promise<CompleteReceipts> {
  return addReceipts(path, await readTrailer(path), services);
}

export interface CompleteReceipts {
  added: Receipt[];
  faults: string[];
}

/** The same for a bundle whose trailer was read. @throws what the disk throws */
export async function addReceipts(
  path: string,
  trailer: Trailer,
  { witness, timestamp }: ReceiptServices,
): Promise<CompleteReceipts> {
  const missing = {
    witness: hasOf(trailer, 'witness') ? null : witness,
    timestamp: hasOf(trailer, 'timestamp') ? null : timestamp,
  };
  const { receipts, faults } = await receiptsFor(missing, trailer.about);
  if (receipts.length > 0) await oneAtATime(() => append(path, receipts));
  return { added: receipts, faults };
}

function hasOf({ receipts }: Trailer, by: Receipt['by']): boolean {
  return receipts.some((receipt) => receipt.by === by);
}

/** Two services may answer about the same bundle at the same time. */
const oneAtATime = pLimit(1);

/** A reader sees the old file or the new one, and so does a machine after a power cut. */
async function append(path: string, receipts: readonly Receipt[]): Promise<void> {
  const temp = `${path}.${process.pid}-${randomBytes(6).toString('hex')}.partial`;
  try {
    await copyFile(path, temp);
    // Read again: since the services were asked, another receipt may have come.
    const trailer = await readTrailer(temp);
    const lines = receipts.filter(({ by }) => !hasOf(trailer, by)).map((receipt) => trailer.writer.line('receipt', receipt));
    const file = await open(temp, 'a');
    try {
      await file.writeFile(lines.join(''));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temp, path);
  } finally {
    await rm(temp, { force: true });
  }
  await syncDir(dirname(path));
}
