/**
 * Tombstones of bundles that were deleted after their retention time: `tombstones.jsonl`, one signed line each. They keep the chain
 * of an agent's bundles (each names the root of the one before) complete.
 */
import { canonical } from '../../shared/json/canonical';
import { asJson } from '../../shared/json/json';
import type { BundleSigner } from '../../attestation/bundle-signer';
import type { EndBody } from '../format/lines';
import { LogFile } from './log-file';

export interface Tombstone {
  v: 'holdfast.tombstone/1';
  /** Root of the deleted bundle. */
  root: string;
  /** Workflow id of its turn, or of its session. */
  subject: string;
  agent: string;
  previous: EndBody['previous'];
  /** `<day>/<file>` in the folder of kept bundles. */
  file: string;
  /** ISO 8601, both. */
  made_at: string;
  deleted_at: string;
  /** Why it was deleted, and under which rule. */
  why: string;
  kid: string;
  /** The raw public key, base64url: to find the key, not to trust it. */
  public: string;
  /** Ed25519 over the canonical form of the rest, base64url. */
  signature: string;
}

export class Tombstones {
  private readonly log: LogFile;

  constructor(path: string) {
    this.log = new LogFile(path);
  }

  /** Names of the deleted files. @throws DamagedLog */
  async files(): Promise<ReadonlySet<string>> {
    return new Set((await this.log.lines()).map(({ file }) => String(file)));
  }

  async add(stone: Omit<Tombstone, 'v' | 'kid' | 'public' | 'signature'>, signer: BundleSigner): Promise<Tombstone> {
    const rest = { v: 'holdfast.tombstone/1' as const, ...stone, kid: signer.kid, public: signer.public };
    const signature = await signer.sign(Buffer.from(canonical(asJson(rest))));
    const tombstone = { ...rest, signature: Buffer.from(signature).toString('base64url') };
    await this.log.append(asJson(tombstone));
    return tombstone;
  }
}
