/** Whether a signed decision holds, by the keys that the auditor has brought (rule H5). */
import { verify, type KeyObject } from 'node:crypto';
import { decisionClaims, type DecisionClaims } from '../../attestation/claims';
import { publicKey } from '../../attestation/public-key';
import { readToken } from '../../attestation/token';
import { CLOCKS_MS, notInForce, type TrustedKey } from '../../attestation/trusted-keys';
import { samePerson } from '../../shared/approval';
import type { Json } from '../../shared/json';
import { quoted } from './fault';
import { timeOf } from './values';

export interface Signed {
  attestation: Json;
  decision: Json | undefined;
  digest: Json | undefined;
  /** Of what settles; null: it does not. */
  outcome: Json;
  by: Json | undefined;
  at: Json | undefined;
}

export interface Audience {
  namespace: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** Null: the turn is bound to no store. Absent: what would say so was left out. */
  store_id?: string | null;
}

export class Attestations {
  private readonly keys: Map<string, TrustedKey>;
  private readonly opened = new Map<string, KeyObject>();
  /** How many could not be checked: the trust file has no key of anybody who decides. */
  unchecked = 0;

  constructor(trust: readonly TrustedKey[]) {
    this.keys = new Map(trust.filter(({ use }) => use === 'gateway' || use === 'principal').map((key) => [key.kid, key]));
  }

  /** Why it does not hold, in words; null: it does, or nobody can tell. */
  fault(said: Signed, audience: Audience): string | null {
    if (this.keys.size === 0) {
      this.unchecked += 1;
      return null;
    }
    const token = typeof said.attestation === 'string' ? readToken(said.attestation) : null;
    const claims = token && decisionClaims(token.claims);
    if (!token || !claims) return 'its signed form is none that anybody writes';
    const key = this.keys.get(claims.kid);
    if (!key) return `key ${claims.kid}, which signed it, is not in the trust file`;
    if (!verify(null, token.bytes, this.open(key), token.signature)) return 'its signature is not right';
    const at = timeOf(said.at);
    return notInForce(key, at) ?? notThen(claims, at) ?? notThis(claims, said, audience) ?? notHis(key, claims);
  }

  private open({ public: raw }: TrustedKey): KeyObject {
    const key = this.opened.get(raw) ?? publicKey(raw);
    this.opened.set(raw, key);
    return key;
  }
}

/** The claims of an attestation, whether it holds or not. */
export function claimsOf(attestation: Json | undefined): DecisionClaims | null {
  const token = typeof attestation === 'string' ? readToken(attestation) : null;
  return token && decisionClaims(token.claims);
}

function notThen({ iat, exp }: DecisionClaims, at: number): string | null {
  const inTime = iat * 1000 <= at + CLOCKS_MS && exp * 1000 > at;
  return inTime ? null : 'it was not good at the time at which it counted';
}

function notThis({ aud, digest, decision, outcome, principal }: DecisionClaims, said: Signed, here: Audience): string | null {
  const sameTurn = aud.workflow_id === here.workflow_id && aud.first_execution_run_id === here.first_execution_run_id;
  if (!sameTurn || aud.namespace !== here.namespace) return 'it was signed for another turn';
  if (here.store_id !== undefined && (aud.store_id ?? null) !== here.store_id)
    return 'it was signed for a turn over another store';
  if (digest !== said.digest) return 'it was signed for another call';
  if (decision !== said.decision) return `it was signed to ${decision}, not to ${quoted(said.decision)}`;
  if ((outcome ?? null) !== said.outcome) return 'it was signed for another outcome';
  return typeof said.by === 'string' && samePerson(principal, said.by) ? null : `it was signed by ${quoted(principal)}`;
}

function notHis(key: TrustedKey, { principal, roles }: DecisionClaims): string | null {
  if (key.use === 'gateway') return null;
  if (!samePerson(key.principal ?? '', principal)) return `key ${key.kid} speaks for ${quoted(key.principal)} only`;
  const more = roles.find((role) => !(key.roles ?? []).includes(role));
  return more === undefined ? null : `key ${key.kid} does not give the role ${more}`;
}
