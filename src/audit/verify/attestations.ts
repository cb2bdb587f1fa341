/** Checks people's signatures on decisions, messages and starts of turns, with the keys that the auditor trusts (H5 and H7). */
import { verify, type KeyObject } from 'node:crypto';
import { decisionClaims, startClaims, type DecisionClaims, readToken } from '../../attestation/claims';
import { enrolmentFault } from '../../attestation/enrolment';
import { claimsOfDecision, deputyFault, deputyshipOf, ownDecision } from '../../attestation/deputy-decision';
import { isPasskeyText, passkeyFault, readPasskeyDecision } from '../../attestation/passkey-decision';
import { publicKey } from '../../attestation/public-key';
import { CLOCKS_MS, notInForce, undecidedBy, type TrustedKey, type TrustEntry } from '../../attestation/trusted-keys';
import { samePerson } from '../../shared/approval/approval';
import { text } from '../../record/fields';
import type { Json } from '../../shared/json/json';
import { quote } from './fault';
import { hashOf, timeOf } from './values';
import type { PasskeyFinding, SignatureState } from './verification';

export interface SignedStatement {
  attestation: Json;
  decision: Json | undefined;
  digest: Json | undefined;
  /** The decision's note; null: none. */
  note: Json;
  /** Of a settlement; null: no settlement. */
  outcome: Json;
  /** Of an answer: its hash. Absent: not compared. */
  input_hash?: Json;
  by: Json | undefined;
  at: Json | undefined;
}

export interface Audience {
  namespace: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** Null: the turn is bound to no store. Absent: unknown, because the source was left out. */
  store_id?: string | null;
}

/** What the signature of a start covers: requester, agent, message and turn. */
export interface SignedStart {
  requester: Json | undefined;
  agent: Json | undefined;
  message_hash: Json | undefined;
  /** The workflow of the turn, and that of its session. */
  workflow_ids: readonly string[];
  at: Json | undefined;
}

export class Attestations {
  /** Those that speak for people. */
  private readonly keys: Map<string, TrustedKey>;
  /** An enroller's key is enough to check passkeys. */
  private readonly knowsNobody: boolean;
  private readonly publicKeys = new Map<string, KeyObject>();
  /** The state of each checked signature, by its text. */
  readonly states = new Map<string, SignatureState>();
  /** Number of signatures not checked: the trust file has no `gateway`, `principal` or `enroller` key. */
  uncheckedCount = 0;
  /** Number of starts of turns with an invalid signature. */
  badStarts = 0;
  /** Texts of signatures that do not cover the note of their decision: those of older builds. */
  readonly unsignedNotes = new Set<string>();
  /** The passkeys whose signatures hold, by `kid`. */
  readonly passkeys = new Map<string, PasskeyFinding>();

  constructor(private readonly trust: readonly TrustEntry[]) {
    this.keys = new Map(trust.flatMap((key) => (key.use === 'gateway' || key.use === 'principal' ? [[key.kid, key]] : [])));
    this.knowsNobody = this.keys.size === 0 && trust.every(({ use }) => use !== 'enroller');
  }

  /** Why the signature of a decision or message is invalid; null: it is valid, or cannot be checked. */
  fault({ attestation, ...statement }: SignedStatement, audience: Audience): string | null {
    if (typeof attestation === 'string' && statement.note !== null && claimsOf(attestation)?.note_hash === undefined)
      this.unsignedNotes.add(attestation);
    return this.recordState(attestation, () => {
      const at = timeOf(statement.at);
      const own = typeof attestation === 'string' ? ownDecision(attestation) : attestation;
      if (typeof own === 'string' && isPasskeyText(own))
        return this.passkeyFault(own, statement, audience, at) ?? this.deputyFault(attestation, at);
      const signature = this.readClaims(own, decisionClaims, at);
      if (typeof signature === 'string') return signature;
      const { claims, key } = signature;
      return (
        claimsFault(claims, statement, audience) ??
        undecidedBy(key, claims.decision) ??
        keyFault(key, claims.principal, claims.deputyship === undefined ? claims.roles : []) ??
        this.deputyFault(attestation, at)
      );
    });
  }

  /** Why its author is no deputy of the person in whose stead it was signed; null: the author is, or signed for nobody else. */
  private deputyFault(attestation: Json, at: number): string | null {
    const claims = claimsOf(attestation);
    if (claims === null) return 'its signed form is none that anybody writes';
    if (claims.deputyship === undefined) return null;
    return deputyFault(claims, deputyshipOf(text(attestation)), { keys: this.trust, thenMs: at });
  }

  private passkeyFault(
    attestation: string,
    statement: Omit<SignedStatement, 'attestation'>,
    audience: Audience,
    at: number,
  ): string | null {
    const decision = readPasskeyDecision(attestation);
    if (decision === null) return 'its signed form is none that a passkey makes';
    const { claims, enrolment } = decision;
    const fault =
      enrolmentFault(decision, this.trust, at) ??
      passkeyFault(decision) ??
      timeFault(claims, at) ??
      claimsFault(claims, statement, audience);
    if (fault === null)
      this.passkeys.set(claims.kid, { kid: claims.kid, principal: enrolment.principal, enrolled_by: enrolment.kid });
    return fault;
  }

  /** The same for the start of a turn. */
  startFault(attestation: Json, start: SignedStart, namespace: string): string | null {
    const fault = this.recordState(attestation, () => {
      const signature = this.readClaims(attestation, startClaims, timeOf(start.at));
      if (typeof signature === 'string') return signature;
      const { aud, requester, agent, message_hash } = signature.claims;
      if (aud.namespace !== namespace || !start.workflow_ids.includes(aud.workflow_id)) return 'it was signed for another turn';
      if (typeof start.requester !== 'string' || !samePerson(requester, start.requester))
        return `it was signed for ${quote(requester)}`;
      if (agent !== start.agent) return `it was signed for agent ${quote(agent)}`;
      if (message_hash !== start.message_hash) return 'it was signed for another message';
      return keyFault(signature.key, requester, []);
    });
    if (fault !== null) this.badStarts += 1;
    return fault;
  }

  private recordState(attestation: Json, look: () => string | null): string | null {
    const unknown = this.knowsNobody;
    const fault = unknown ? null : look();
    if (unknown) this.uncheckedCount += 1;
    const before = typeof attestation === 'string' ? this.states.get(attestation) : undefined;
    if (typeof attestation === 'string' && before !== 'does not hold')
      this.states.set(attestation, unknown ? 'not checked' : fault === null ? 'holds' : 'does not hold');
    return fault;
  }

  /** The signed claims and their key, which was in force at that time; else the reason. */
  private readClaims<C extends { kid: string; iat: number; exp: number }>(
    attestation: Json,
    read: (claims: Json) => C | null,
    at: number,
  ): { claims: C; key: TrustedKey } | string {
    const token = typeof attestation === 'string' ? readToken(attestation) : null;
    const claims = token && read(token.claims);
    if (!token || !claims) return 'its signed form is none that anybody writes';
    const key = this.keys.get(claims.kid);
    if (!key) return `key ${claims.kid}, which signed it, is not in the trust file`;
    if (!verify(null, token.bytes, this.open(key), token.signature)) return 'its signature is not right';
    return notInForce(key, at) ?? timeFault(claims, at) ?? { claims, key };
  }

  private open({ public: raw }: TrustedKey): KeyObject {
    const key = this.publicKeys.get(raw) ?? publicKey(raw);
    this.publicKeys.set(raw, key);
    return key;
  }
}

/** The claims of an attestation, valid or not. */
export function claimsOf(attestation: Json | undefined): DecisionClaims | null {
  return typeof attestation === 'string' ? claimsOfDecision(attestation) : null;
}

function timeFault({ iat, exp }: Pick<DecisionClaims, 'iat' | 'exp'>, at: number): string | null {
  const inTime = iat * 1000 <= at + CLOCKS_MS && exp * 1000 > at;
  return inTime ? null : 'it was not good at the time at which it counted';
}

function claimsFault(
  { aud, digest, decision, outcome, input_hash, note_hash, principal }: DecisionClaims,
  statement: Omit<SignedStatement, 'attestation'>,
  here: Audience,
): string | null {
  const sameTurn = aud.workflow_id === here.workflow_id && aud.first_execution_run_id === here.first_execution_run_id;
  if (!sameTurn || aud.namespace !== here.namespace) return 'it was signed for another turn';
  if (here.store_id !== undefined && (aud.store_id ?? null) !== here.store_id)
    return 'it was signed for a turn over another store';
  if (digest !== statement.digest) return 'it was signed for another call';
  if (decision !== statement.decision) return `it was signed to ${decision}, not to ${quote(statement.decision)}`;
  if ((outcome ?? null) !== statement.outcome) return 'it was signed for another outcome';
  if (statement.input_hash !== undefined && input_hash !== statement.input_hash) return 'it was signed for another answer';
  if (note_hash !== undefined && note_hash !== (statement.note === null ? null : (hashOf(statement.note) ?? '')))
    return 'it was signed with another note, or with none';
  return typeof statement.by === 'string' && samePerson(principal, statement.by) ? null : `it was signed by ${quote(principal)}`;
}

function keyFault(key: TrustedKey, principal: string, roles: readonly string[]): string | null {
  if (key.use === 'gateway') return null;
  if (!samePerson(key.principal ?? '', principal)) return `key ${key.kid} speaks for ${quote(key.principal)} only`;
  const more = roles.find((role) => !(key.roles ?? []).includes(role));
  return more === undefined ? null : `key ${key.kid} does not give the role ${more}`;
}
