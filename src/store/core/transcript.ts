/** Appends blocks to a transcript, and walks it from its head; writes and reads calls under their digests. */
import { sha256Hex } from '../../shared/json/sha256';
import type { BlockContent } from '../../record/write-block';
import { lastOf } from '../../record/read-block';
import { canonical } from '../../shared/json/canonical';
import type { CallRecord } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { StoreError, type NewBlock, type Store, type AdmittedRecord } from '../store';
import { type SealedBlock, type StoredBlock } from './seal';

/** No turn comes near this number. It ends a walk through a store that answers with a loop. */
const MAX_BLOCKS = 100_000;

/**
 * Blocks that follow a head. They can be read at once, and `store()` writes them together. The same draft again gives the same
 * blocks, so that a retry after a crash changes nothing.
 */
export class Draft {
  readonly blocks: SealedBlock[] = [];

  /** @param scope first execution run id of the turn */
  constructor(
    private readonly to: Store,
    private readonly scope: string,
    private readonly parent: string | null,
  ) {}

  /** Hash of the last block, or of the block that the draft follows. */
  get head(): string | null {
    return this.blocks.at(-1)?.hash ?? this.parent;
  }

  /**
   * Adds a block.
   * @param at workflow time, ISO 8601: with the time of the clock, a retry would give another block
   */
  add({ kind, bodies }: BlockContent, at: string): SealedBlock {
    const block = this.to.seal(this.scope, { parent: this.head, kind, at, bodies });
    this.blocks.push(block);
    return block;
  }

  /** All blocks from the first of the transcript to the last of the draft. */
  async whole(): Promise<StoredBlock[]> {
    const own = this.blocks.map(({ hash, block, parts }) => ({ hash, block, bodies: parts.map((part) => part.body) }));
    return [...(await walk(this.to, this.parent)), ...own];
  }

  /** Writes the blocks. Returns the new head, once everything under it is on disk. */
  async store(): Promise<string> {
    await this.to.putBlocks(this.blocks);
    return this.head!;
  }
}

/** Stores one block, and returns the new head. Appending the same block again gives the same head. */
export async function append(store: Store, scope: string, block: NewBlock): Promise<string> {
  const sealedBlock = store.seal(scope, block);
  await store.putBlocks([sealedBlock]);
  return sealedBlock.hash;
}

/**
 * The blocks from the first to the head; none for a null head.
 * @throws StoreError `not_found` or `damaged`, naming the block; `damaged` beyond 100 000 blocks
 */
export async function walk(store: Pick<Store, 'getBlock'>, head: string | null): Promise<StoredBlock[]> {
  const blocks: StoredBlock[] = [];
  for (let hash = head; hash !== null;) {
    if (blocks.length >= MAX_BLOCKS)
      throw new StoreError('damaged', `The transcript of ${head} has more than ${MAX_BLOCKS} blocks, or a loop`);
    const storedBlock: StoredBlock = await store.getBlock(hash);
    blocks.push(storedBlock);
    hash = storedBlock.block.parent;
  }
  return blocks.reverse();
}

// The turn of a block: the last start block before it names the turn.

export interface TurnOfBlock {
  turn_id: string;
  requester: string;
  agent: string;
}

/**
 * @param blocks from the first block to the one in question
 * @returns null: no turn began before it
 */
export function turnOfBlock(blocks: readonly StoredBlock[]): TurnOfBlock | null {
  const start = lastOf('start', blocks);
  if (start === null) return null;
  const { turn_id, requester, agent } = start;
  return turn_id === null || requester === null || agent === null ? null : { turn_id, requester, agent };
}

/** The same for one block; reads the store back to the turn's start. @throws StoreError */
export async function findTurnOfBlock(store: Store, hash: string): Promise<TurnOfBlock | null> {
  for (let next: string | null = hash; next !== null;) {
    const storedBlock: StoredBlock = await store.getBlock(next);
    if (storedBlock.block.kind === 'start') return turnOfBlock([storedBlock]);
    next = storedBlock.block.parent;
  }
  return null;
}

// A call as lines of an object, under its digest: the canonical record, whose SHA-256 is the digest, then the input and the target,
// whose hashes are in the record. The calls of a step share a file, so lines of other calls may be around them.

export interface CallLines {
  digest: string;
  lines: string[];
  /** The call as `readCall` would read it, as JSON; null: its input or target is another than its record names. */
  json: string | null;
}

export function callLines({ record, input, target }: AdmittedRecord): CallLines {
  const text = canonical({ ...record });
  const details = { input: canonical(input, ['input']), target: canonical(target, ['target']) };
  const line = `{"input":${details.input},"target":${details.target}}`; // canonical: the names are in order
  const json = detailsFault(record, details) === null ? `{"record":${text},${line.slice(1)}` : null;
  return { digest: sha256Hex(text), lines: [text, line], json };
}

/** @throws Error that says what is wrong with the lines */
export function readCall(digest: string, lines: string[]): AdmittedRecord {
  const at = lines.findIndex((line) => sha256Hex(line) === digest);
  const details = lines[at + 1];
  if (at < 0 || details === undefined) throw new Error(`${digest} is missing`);
  const record = parseJson(lines[at]!);
  if (!isJsonObject(record) || record.v !== 'holdfast.call/2') throw new Error('it is no call (v: "holdfast.call/2")');
  const { input, target } = fieldsOf(parseJson(details));
  if (!isJsonObject(input)) throw new Error(OTHER_INPUT);
  const call = { record: record as CallRecord, input, target };
  const fault = detailsFault(call.record, { input: canonical(input), target: canonical(target) });
  if (fault !== null) throw new Error(fault);
  return call;
}

const OTHER_INPUT = 'its input is another than the record names';

/** @param details canonical forms */
function detailsFault(
  { input_hash, target_hash }: CallRecord,
  { input, target }: { input: string; target: string },
): string | null {
  if (sha256Hex(input) !== input_hash) return OTHER_INPUT;
  if ((target === 'null' ? null : sha256Hex(target)) !== target_hash) return 'its target is another than the record names';
  return null;
}

function fieldsOf(details: Json): { input: Json | undefined; target: JsonObject | null } {
  const { input, target } = isJsonObject(details) ? details : {};
  return { input, target: isJsonObject(target) ? target : null };
}

/** Freezes a value and everything in it, because several readers share it. Returns the value. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
