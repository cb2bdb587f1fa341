/**
 * The Merkle tree of RFC 6962 (section 2.1): an append-only list of entries, of which one hash stands for all. Two short lists of
 * hashes prove things about it: that an entry is in the list (inclusion), and that one list is the beginning of another
 * (consistency). A list that was changed, cut back or continued in two ways has no such proof.
 *
 * Leaves are hashed as SHA-256(0x00 ‖ entry), nodes as SHA-256(0x01 ‖ left ‖ right), so that no node passes for a leaf.
 * All hashes are 64 lower-case hex characters; sizes and indexes are whole numbers from 0.
 */
import { isHash, sha256Hex } from '../shared/json/sha256';

/** The hash of an empty list. */
export const EMPTY_TREE = sha256Hex('');

const HASH_BYTES = 32;
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
const FIRST_CAPACITY = 64;

export function leafHash(entry: Uint8Array): string {
  return sha256Hex(Buffer.concat([LEAF, entry]));
}

function nodeHash(left: string, right: string): string {
  return sha256Hex(Buffer.concat([NODE, Buffer.from(left, 'hex'), Buffer.from(right, 'hex')]));
}

/** A list of leaves in memory, with the hashes of its whole subtrees: 64 bytes a leaf. Proofs take a logarithm of its size. */
export class MerkleTree {
  /** `levels[0]` has the leaves, `levels[k]` the whole subtrees of 2^k leaves, from the left. */
  private readonly levels: HashList[] = [];

  get size(): number {
    return this.levels[0]?.length ?? 0;
  }

  /** @returns the index of the new leaf */
  append(leaf: string): number {
    const index = this.size;
    let hash = leaf;
    for (let level = 0; ; level++) {
      const list = (this.levels[level] ??= new HashList());
      list.push(hash);
      if (list.length % 2 === 1) return index;
      hash = nodeHash(list.at(list.length - 2), hash);
    }
  }

  /** The hash of the first `size` leaves. @throws RangeError for more leaves than there are */
  root(size = this.size): string {
    checkRange(size, 0, this.size);
    return size === 0 ? EMPTY_TREE : this.subtree(0, size);
  }

  /** Proves that leaf `index` is among the first `size`. @throws RangeError */
  inclusion(index: number, size = this.size): string[] {
    checkRange(size, 1, this.size);
    checkRange(index, 0, size - 1);
    const proof: string[] = [];
    for (let [from, length] = [0, size]; length > 1;) {
      const left = largestPowerBelow(length);
      const isLeft = index < from + left;
      proof.push(isLeft ? this.subtree(from + left, length - left) : this.subtree(from, left));
      [from, length] = isLeft ? [from, left] : [from + left, length - left];
    }
    return proof.reverse();
  }

  /** Proves that the first `from` leaves are the beginning of the first `to`. @throws RangeError */
  consistency(from: number, to = this.size): string[] {
    checkRange(to, 1, this.size);
    checkRange(from, 1, to);
    return from === to ? [] : this.subproof(from, 0, to, true);
  }

  /** SUBPROOF of RFC 6962, section 2.1.2. `isWhole`: the verifier knows the hash of the old list's part of this subtree. */
  private subproof(size: number, from: number, length: number, isWhole: boolean): string[] {
    if (size === length) return isWhole ? [] : [this.subtree(from, length)];
    const left = largestPowerBelow(length);
    if (size <= left) return [...this.subproof(size, from, left, isWhole), this.subtree(from + left, length - left)];
    return [...this.subproof(size - left, from + left, length - left, false), this.subtree(from, left)];
  }

  private subtree(from: number, length: number): string {
    const level = Math.log2(length);
    if (Number.isInteger(level)) return this.levels[level]!.at(from / length);
    const left = largestPowerBelow(length);
    return nodeHash(this.subtree(from, left), this.subtree(from + left, length - left));
  }
}

/** Whether `proof` shows that `leaf` is number `index` of the list with this size and hash (RFC 9162, section 2.1.3.2). */
export function isIncluded(leaf: string, index: number, size: number, proof: readonly string[], root: string): boolean {
  if (!isIndex(index) || !isIndex(size) || index >= size || !proof.every(isHash)) return false;
  let [node, last, hash] = [index, size - 1, leaf];
  for (const other of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(other, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = nodeHash(hash, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && hash === root;
}

interface TreeState {
  size: number;
  root: string;
}

/** Whether `proof` shows that list `first` is the beginning of list `second` (RFC 9162, section 2.1.4.2). */
export function isConsistent(first: TreeState, second: TreeState, proof: readonly string[]): boolean {
  if (!isIndex(first.size) || !isIndex(second.size) || first.size > second.size || !proof.every(isHash)) return false;
  if (first.size === second.size) return proof.length === 0 && first.root === second.root;
  if (first.size === 0) return proof.length === 0 && first.root === EMPTY_TREE;
  let [node, last] = [first.size - 1, second.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  const hashes = node === 0 ? [first.root, ...proof] : [...proof];
  let old = hashes.shift();
  if (old === undefined) return false;
  let now = old;
  for (const other of hashes) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      [old, now] = [nodeHash(other, old), nodeHash(other, now)];
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else now = nodeHash(now, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && old === first.root && now === second.root;
}

/** Not by shifting bits: that cuts numbers off at 32. */
function half(value: number): number {
  return Math.floor(value / 2);
}

/** The largest power of two below `length`, which is at least 2. */
function largestPowerBelow(length: number): number {
  let power = 1;
  while (power * 2 < length) power *= 2;
  return power;
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function checkRange(value: number, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new RangeError(`${value} is not between ${least} and ${most}`);
}

/** Hashes one after another in one buffer, which grows: an object for each would take three times the memory. */
class HashList {
  length = 0;
  private bytes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);

  push(hash: string): void {
    const end = (this.length + 1) * HASH_BYTES;
    if (end > this.bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    this.bytes.write(hash, this.length * HASH_BYTES, 'hex');
    this.length += 1;
  }

  at(index: number): string {
    if (index >= this.length) throw new RangeError(`There is no hash ${index} of ${this.length}`);
    return this.bytes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}
