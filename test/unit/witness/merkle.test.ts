/** The Merkle tree: the test vectors of Certificate Transparency, a naive tree by RFC 6962's own recursion, and proofs of other lists. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { EMPTY_TREE, isConsistent, isIncluded, leafHash, MerkleTree } from '../../../src/witness/merkle';
import { runs } from '../../support/runs';

/** The entries and roots of Certificate Transparency's reference implementation (merkle_tree_test). */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const INCLUSION: [index: number, size: number, proof: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const CONSISTENCY: [from: number, to: number, proof: string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const treeOf = (leaves: readonly string[]) => {
  const tree = new MerkleTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree;
};
const REFERENCE = treeOf(ENTRIES.map((hex) => leafHash(Buffer.from(hex, 'hex'))));

describe('the vectors of Certificate Transparency', () => {
  test('roots of all sizes', () => {
    expect(EMPTY_TREE).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(ROOTS.map((_, index) => REFERENCE.root(index + 1))).toEqual(ROOTS);
  });

  test.each(INCLUSION)('inclusion of %i in %i', (index, size, proof) => {
    expect(REFERENCE.inclusion(index, size)).toEqual(proof);
    const leaf = leafHash(Buffer.from(ENTRIES[index]!, 'hex'));
    expect(isIncluded(leaf, index, size, proof, ROOTS[size - 1]!)).toBe(true);
  });

  test.each(CONSISTENCY)('consistency of %i with %i', (from, to, proof) => {
    expect(REFERENCE.consistency(from, to)).toEqual(proof);
    expect(isConsistent({ size: from, root: ROOTS[from - 1]! }, { size: to, root: ROOTS[to - 1]! }, proof)).toBe(true);
  });
});

/** MTH of RFC 6962, as the page writes it. */
function naiveRoot(leaves: readonly string[]): string {
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const [left, right] = [naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k))];
  return createHash('sha256').update('01', 'hex').update(left, 'hex').update(right, 'hex').digest('hex');
}

const leafOf = (value: number) => leafHash(Buffer.from(String(value)));
const sizes = fc.integer({ min: 1, max: 200 });
const place = fc.nat({ max: 1_000_000 });
const options = { numRuns: runs(60, 1000) };

describe('any list', () => {
  test('has the hash of the naive tree, at each size, and all its proofs hold', () => {
    fc.assert(
      fc.property(sizes, place, place, (size, one, two) => {
        const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
        const tree = treeOf(leaves);
        const to = 1 + (one % size);
        const [index, from] = [two % to, 1 + (two % to)];
        expect(tree.root(to)).toBe(naiveRoot(leaves.slice(0, to)));
        expect(isIncluded(leaves[index]!, index, to, tree.inclusion(index, to), tree.root(to))).toBe(true);
        const [old, now] = [from, to].map((of) => ({ size: of, root: tree.root(of) }));
        expect(isConsistent(old!, now!, tree.consistency(from, to))).toBe(true);
      }),
      options,
    );
  });

  test('no proof holds for another leaf, place, size or hash, nor with a hash more, less or changed', () => {
    fc.assert(
      fc.property(sizes, place, place, (size, one, two) => {
        const tree = treeOf(Array.from({ length: size }, (_, index) => leafOf(index)));
        const index = one % size;
        const proof = tree.inclusion(index);
        const holds = (leaf: number, at: number, of: number, by: string[], root = tree.root()) =>
          isIncluded(leafOf(leaf), at, of, by, root);
        expect(holds(size, index, size, proof)).toBe(false);
        expect(holds(index, index + 1, size, proof)).toBe(false);
        expect(holds(index, index, index, proof)).toBe(false);
        expect(holds(index, index, size, proof, leafOf(-1))).toBe(false);
        expect(holds(index, index, size, [...proof, leafOf(-1)])).toBe(false);
        if (proof.length === 0) return;
        const at = two % proof.length;
        expect(holds(index, index, size, proof.with(at, leafOf(-1)))).toBe(false);
        expect(holds(index, index, size, proof.toSpliced(at, 1))).toBe(false);
        expect(holds(index, index, size, proof.with(at, 'no hash'))).toBe(false);
      }),
      options,
    );
  });

  test('a list with another beginning is not consistent with it, whatever stands in the proof', () => {
    fc.assert(
      fc.property(sizes, place, place, (size, one, two) => {
        const from = 1 + (one % size);
        const changed = two % from;
        const leaves = Array.from({ length: size + 1 }, (_, index) => leafOf(index));
        const [tree, forked] = [treeOf(leaves), treeOf(leaves.with(changed, leafOf(-1)))];
        const [old, now] = [
          { size: from, root: tree.root(from) },
          { size: size + 1, root: forked.root() },
        ];
        expect(isConsistent(old, now, forked.consistency(from))).toBe(false);
        expect(isConsistent(old, now, tree.consistency(from))).toBe(false);
        const right = { size: size + 1, root: tree.root() };
        expect(isConsistent(old, right, tree.consistency(from).slice(1))).toBe(false);
        expect(isConsistent(old, right, [...tree.consistency(from), leafOf(-1)])).toBe(false);
        expect(isConsistent(right, old, tree.consistency(from))).toBe(false);
      }),
      options,
    );
  });
});

test('an empty list is the beginning of each list, and needs no proof', () => {
  const now = { size: 8, root: REFERENCE.root() };
  expect(isConsistent({ size: 0, root: EMPTY_TREE }, now, [])).toBe(true);
  expect(isConsistent({ size: 0, root: ROOTS[0]! }, now, [])).toBe(false);
  expect(isConsistent({ size: 0, root: EMPTY_TREE }, now, [ROOTS[0]!])).toBe(false);
  expect(isConsistent({ size: 3, root: ROOTS[2]! }, now, [])).toBe(false);
  expect(new MerkleTree().root()).toBe(EMPTY_TREE);
});

test('sizes beyond 32 bits are counted right', () => {
  const size = 2 ** 40 + 1;
  const [leaf, left] = [leafOf(1), leafOf(2)];
  const root = naiveRoot([left, leaf]);
  expect(isIncluded(leaf, size - 1, size, [left], root)).toBe(true);
  expect(isIncluded(leaf, (size - 1) % 2 ** 32, size, [left], root)).toBe(false);
});

test.each([
  ['more leaves than there are', () => REFERENCE.root(9)],
  ['half a leaf', () => REFERENCE.root(1.5)],
  ['a leaf behind the end', () => REFERENCE.inclusion(8)],
  ['a leaf of an empty list', () => new MerkleTree().inclusion(0)],
  ['the beginning of nothing', () => REFERENCE.consistency(0)],
  ['a beginning longer than the list', () => REFERENCE.consistency(5, 4)],
])('there is no proof for %s', (_name, make) => {
  expect(make).toThrow(RangeError);
});
