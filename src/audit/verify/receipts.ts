/**
 * Checks the receipts after a bundle's trailer (rules S8 and S9), and whose they are: of witnesses and timestamp authorities that the
 * auditor trusts, or of others. Says from them when the bundle existed already, and when it did not exist yet.
 */
import { CLOCKS_MS, isRevocation, type TrustedKey, type TrustEntry } from '../../attestation/trusted-keys';
import { asJson } from '../../shared/json/json';
import { witnessFault, type Receipt, type TrailerHashes } from '../../witness/receipt';
import { BadTimestamp, TimestampsUnreadable, readTimestamp } from '../../witness/timestamp';
import { readHead, type TreeHead } from '../../witness/tree-head';
import type { ReadLine } from '../format/reader';
import { Fault } from './fault';
import type { ReceiptFinding } from './verification';

interface Timestamp {
  line: number;
  response: Buffer;
}

/** What a trust file, or `--require-receipt`, demands. */
export interface ReceiptVerdict {
  receipts: ReceiptFinding[];
  not_before: { at: string; by: string } | null;
  /** What is missing, as the end of a sentence; null: nothing. */
  missing: string | null;
}

export class Receipts {
  private about: TrailerHashes | null = null;
  private text: Uint8Array = Buffer.from([]);
  private head: TreeHead | null = null;
  private readonly entries: { at: string; head: TreeHead }[] = [];
  private readonly timestamps: Timestamp[] = [];

  /** The head that the first line has, if it has one. */
  begin(head: TreeHead | undefined): void {
    this.head = head === undefined ? null : readHead(asJson(head));
  }

  end({ body, hash, bytes }: ReadLine & { kind: 'end' }): void {
    this.about = { root: body.root, end: hash, previous: body.previous?.root ?? null };
    this.text = Buffer.from(bytes);
  }

  /** @throws Fault */
  take(line: number, receipt: Receipt): void {
    if (receipt.by === 'timestamp') {
      const response = Buffer.from(receipt.response, 'base64');
      if (response.toString('base64') !== receipt.response)
        throw new Fault(line, 'S9', 'The timestamp is no base64 in its one spelling');
      this.timestamps.push({ line, response });
      return;
    }
    const { at, head } = receipt;
    const fault = witnessFault(receipt, this.about!);
    if (fault !== null) throw new Fault(line, 'S8', `The receipt does not hold: ${fault}`);
    if (this.head?.kid === head.kid && at < this.head.at)
      throw new Fault(line, 'S8', 'The receipt does not hold: the bundle contains a later tree head of the same witness');
    this.entries.push({ at, head });
  }

  /** @throws Fault, for a timestamp that is none or is about something else */
  async judge(trust: readonly TrustEntry[], requireReceipt: boolean): Promise<ReceiptVerdict> {
    const keys = trust.flatMap((key) => (isRevocation(key) ? [] : [key]));
    const witnesses = this.entries.map(({ at, head }): ReceiptFinding => {
      const isTrusted = keys.some(
        (key) => key.use === 'witness' && key.kid === head.kid && key.public === head.public && isGoodAt(key, at),
      );
      return { by: 'witness', kid: head.kid, at, state: isTrusted ? 'holds' : 'unknown signer' };
    });
    const receipts = [...witnesses];
    for (const timestamp of this.timestamps) receipts.push(await this.judgeTimestamp(timestamp, keys));
    return { receipts, not_before: this.notBefore(keys), missing: missingOf(keys, receipts, requireReceipt) };
  }

  private async judgeTimestamp({ line, response }: Timestamp, keys: readonly TrustedKey[]): Promise<ReceiptFinding> {
    try {
      const { at, isBy } = await readTimestamp(response, this.text);
      for (const key of keys)
        if (key.use === 'timestamp' && isGoodAt(key, at) && isBy(Buffer.from(key.public, 'base64url')))
          return { by: 'timestamp', kid: key.kid, at, state: 'holds' };
      return { by: 'timestamp', kid: null, at, state: 'unknown signer' };
    } catch (error) {
      if (error instanceof TimestampsUnreadable) return { by: 'timestamp', kid: null, at: null, state: 'not checked' };
      if (error instanceof BadTimestamp) throw new Fault(line, 'S9', `The timestamp is not about this bundle: ${error.message}`);
      throw error;
    }
  }

  private notBefore(keys: readonly TrustedKey[]): ReceiptVerdict['not_before'] {
    const head = this.head;
    if (head === null) return null;
    const key = keys.find(({ use, kid, public: raw }) => use === 'witness' && kid === head.kid && raw === head.public);
    return key !== undefined && isGoodAt(key, head.at) ? { at: head.at, by: head.kid } : null;
  }
}

/** A revoked key proves nothing, whenever it signed: its thief writes any time. */
function isGoodAt({ revoked_at, created_at, expires_at }: TrustedKey, at: string): boolean {
  const time = Date.parse(at);
  if (revoked_at !== undefined || !(Date.parse(created_at) <= time + CLOCKS_MS)) return false;
  return expires_at === undefined || Date.parse(expires_at) > time;
}

const NAMES = { witness: 'a witness', timestamp: 'a timestamp authority' } as const;

function missingOf(keys: readonly TrustedKey[], receipts: readonly ReceiptFinding[], requireReceipt: boolean): string | null {
  const valid = receipts.filter(({ state }) => state === 'holds');
  for (const by of ['witness', 'timestamp'] as const) {
    const required = keys.filter((key) => key.use === by && key.require === true).map(({ kid }) => kid);
    if (required.length > 0 && !valid.some((one) => one.by === by && required.includes(one.kid!)))
      return `the trust file demands a receipt of ${NAMES[by]} (${required.join(' or ')}), and the bundle has none that holds`;
  }
  return requireReceipt && valid.length === 0
    ? 'a receipt is demanded, and the bundle has none of a witness or a timestamp authority that you trust'
    : null;
}
