/** Bundles with receipts of a witness that is only a tree and a key. */
import type { SigningKey } from '../../../src/attestation/signing-key';
import { trailerIn } from '../../../src/audit/archive/receipts';
import { leafHash, MerkleTree } from '../../../src/witness/merkle';
import { entryBytes, type Receipt, type TrailerHashes, type WitnessReceipt } from '../../../src/witness/receipt';
import { signHead } from '../../../src/witness/tree-head';
import { testKey, TRUST } from '../bundle-keys';
import type { TrustedKey } from '../../../src/attestation/trusted-keys';

export const WITNESS_KEY = testKey('witness');

/** A day after the samples were made. */
export const WITNESSED_AT = '2027-01-01T00:00:00.000Z';

export const WITNESS: TrustedKey = {
  kid: WITNESS_KEY.kid,
  public: WITNESS_KEY.public,
  use: 'witness',
  created_at: '2026-01-01T00:00:00.000Z',
};
/** The samples' keys, and the witness. */
export const WITNESS_TRUST: TrustedKey[] = [...TRUST, WITNESS];
export const DEMANDING_TRUST: TrustedKey[] = [...TRUST, { ...WITNESS, require: true }];

/** The receipt that the witness gives: the entry is the third of seven. */
export function receiptFor(about: TrailerHashes, at = WITNESSED_AT, key: SigningKey = WITNESS_KEY): WitnessReceipt {
  const tree = new MerkleTree();
  const others = [0, 1, 3, 4, 5, 6].map((n) => leafHash(Buffer.from(`entry ${n}`)));
  for (const leaf of [...others.slice(0, 2), leafHash(entryBytes(about, at)), ...others.slice(2)]) tree.append(leaf);
  return { by: 'witness', at, index: 2, proof: tree.inclusion(2), head: signHead(key, { size: 7, tree: tree.root(), at }) };
}

/** The bundle with these receipts behind its trailer; by default with one of the witness. */
export function withReceipt(
  bundle: string,
  make: (about: TrailerHashes & { text: string }) => Receipt[] = (about) => [receiptFor(about)],
): string {
  const last = bundle.trimEnd().split('\n').at(-1)!;
  const { about, writer } = trailerIn(last);
  return bundle + make(about).map((receipt) => writer.line('receipt', receipt)).join(''); // oxfmt-ignore
}

/** The receipts of one bundle behind another. */
export function movedReceipts(from: string, to: string): string {
  const lines = from.trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string; body: Receipt }); // oxfmt-ignore
  return withReceipt(to, () => lines.flatMap(({ kind, body }) => (kind === 'receipt' ? [body] : [])));
}
