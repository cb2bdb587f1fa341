/** Keys for tests: a file of trusted keys, a gateway's key, and keys of people. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileTrust } from '../../src/attestation/file-trust';
import { trustedEntry } from '../../src/attestation/gateway-key';
import { SigningKey } from '../../src/attestation/signing-key';
import { isRevocation, parseTrustedKeys, type TrustedKey, type TrustEntry } from '../../src/attestation/trusted-keys';
import { signDecisions, type Signing } from '../../src/client/approvals/attest';
import type { TurnHandle } from '../../src/client/turns/turn-handle';

/** Of which decisions are signed, and for whom they are meant. */
export const SIGNED_TURN = {
  turn_id: 't1',
  workflow_id: 'turn/t1',
  first_execution_run_id: 'run-1',
  agent: 'payables',
  requester: 'rita',
  session_id: null,
  trace_id: 'trace_20260101_000000000000',
};
export const AUDIENCE = { namespace: 'default', workflow_id: 'turn/t1', first_execution_run_id: 'run-1' };

export class Signers {
  private readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  readonly trusted = join(this.folder, 'trusted.json');
  readonly gateway = SigningKey.generate();
  readonly errors: string[] = [];
  readonly trust = new FileTrust({
    path: this.trusted,
    namespace: 'default',
    log: { error: (facts, message) => void this.errors.push(`${message} ${JSON.stringify(facts)}`) },
    now: () => this.now(),
  });
  /** The worker's clock. */
  now = () => Date.now();
  private entries: TrustEntry[] = [trustedEntry(this.gateway)];

  constructor() {
    this.write();
  }

  /** A key of one person's own. */
  person(principal: string, roles: string[] = []): SigningKey {
    const key = SigningKey.generate();
    this.entries.push(trustedEntry(key, { principal, roles }));
    this.write();
    return key;
  }

  /** A key that enrols passkeys. */
  enroller(roles?: string[]): SigningKey {
    const key = SigningKey.generate();
    this.entries.push(trustedEntry(key, { enroller: true, ...(roles === undefined ? {} : { roles }) }));
    this.write();
    return key;
  }

  change(key: SigningKey, facts: Partial<TrustedKey>): void {
    this.entries = this.entries.map((entry) => (entry.kid === key.kid && !isRevocation(entry) ? { ...entry, ...facts } : entry));
    this.write();
  }

  /** Takes a passkey back. */
  revokePasskey(kid: string, revoked_at = new Date().toISOString()): void {
    this.entries.push({ kid, use: 'passkey', revoked_at });
    this.write();
  }

  /** Takes a deputyship back. */
  revokeDeputy(kid: string, revoked_at = new Date().toISOString()): void {
    this.entries.push({ kid, use: 'deputy', revoked_at });
    this.write();
  }

  break(): void {
    writeFileSync(this.trusted, '[{"kid":');
  }

  /** The file of a key, as a client is given it. */
  async file(key: SigningKey): Promise<string> {
    const path = join(this.folder, `${key.kid}.pem`);
    await key.save(path);
    return path;
  }

  /** One signed decision, by the gateway for a principal. */
  async signed(
    turn: TurnHandle,
    call: string,
    principal: string,
    more: Partial<Signing> = {},
    key = this.gateway,
  ): Promise<string> {
    const signing = { decision: 'approve' as const, calls: [call], principal, roles: [], ...more };
    return (await signDecisions(turn, key, signing))[0]!.attestation;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private write(): void {
    const text = JSON.stringify(this.entries);
    parseTrustedKeys(text, this.trusted);
    writeFileSync(this.trusted, text);
  }
}
