/**
 * A decision that a deputy signed, as one text: `dep1.`, the signed deputyship and the signed decision. The claims of the decision name
 * the deputyship by its hash, so the same decision has only one text. The deputy's key or passkey signs the decision; the roles in it
 * are those of the person whom the deputyship stands for.
 */
import { verify } from 'node:crypto';
import { samePerson } from '../shared/approval/approval';
import { LONGEST_TOKEN, decisionClaims, readToken, type DecisionClaims } from './claims';
import {
  deputyshipBytes,
  deputyshipChallenge,
  deputyshipId,
  readSignedDeputyship,
  type Deputyship,
  type PasskeySignature,
  type SignedDeputyship,
} from './deputyship';
import { enrolmentFault, enrolmentHash, keyOfEnrolment } from './enrolment';
import { isPasskeyText, readPasskeyDecision } from './passkey-decision';
import { publicKey } from './public-key';
import { CLOCKS_MS, isRevocation, notInForce, signsReceipts, undecidedBy, type TrustEntry } from './trusted-keys';
import { assertionFault } from './webauthn';

const PREFIX = 'dep1.';
/** Parts of a text that a passkey signed, with its prefix, and of one that a key signed. */
const PARTS = { passkey: 7, key: 2 };

/** @throws RangeError if it is longer than a decision may be: two passkeys with RSA keys */
export function writeDeputyDecision(deputyship: string, decision: string): string {
  const text = `${PREFIX}${deputyship}.${decision}`;
  if (text.length > LONGEST_TOKEN)
    throw new RangeError(
      `A signed decision of ${text.length} characters is too long: another kind of passkey makes shorter ones`,
    );
  return text;
}

/** The two texts of a deputy's decision. Null: it has not the form of one. */
export function splitDeputyDecision(text: string): { deputyship: string; decision: string } | null {
  if (!text.startsWith(PREFIX) || text.length > LONGEST_TOKEN) return null;
  const rest = text.slice(PREFIX.length);
  const parts = rest.split('.');
  const length = isPasskeyText(rest) ? PARTS.passkey : PARTS.key;
  const [deputyship, decision] = [parts.slice(0, length), parts.slice(length)];
  if (decision.length !== (decision[0] === 'wa1' ? PARTS.passkey : PARTS.key)) return null;
  return { deputyship: deputyship.join('.'), decision: decision.join('.') };
}

/** The signed decision in a text, without the deputyship before it. */
export function ownDecision(text: string): string {
  return splitDeputyDecision(text)?.decision ?? text;
}

/** The deputyship in a deputy's decision, valid or not; null: there is none. */
export function deputyshipOf(text: string): SignedDeputyship | null {
  const parts = splitDeputyDecision(text);
  return parts && readSignedDeputyship(parts.deputyship);
}

/** The claims of a signed decision of any kind, valid or not; null: it has the form of none. */
export function claimsOfDecision(text: string): DecisionClaims | null {
  const own = ownDecision(text);
  const claims = isPasskeyText(own) ? (readPasskeyDecision(own)?.claims ?? null) : claimsOfToken(own);
  return (claims?.deputyship !== undefined) === (own !== text) ? claims : null;
}

function claimsOfToken(text: string): DecisionClaims | null {
  const token = readToken(text);
  return token && decisionClaims(token.claims);
}

/** What a deputyship is asked for: a call, and the keys that count. */
export interface DeputyUse {
  keys: readonly TrustEntry[];
  /** When the decision was found valid. */
  thenMs: number;
  /** What was revoked until then does not count. Default: `thenMs`. */
  knownMs?: number;
  /** Of the call; absent: not compared here. */
  agent?: string;
  tool?: string;
}

/** Why a decision does not count for the person whom its author names; null: it does. */
export function deputyFault(claims: DecisionClaims, signed: SignedDeputyship | null, use: DeputyUse): string | null {
  if (signed === null || claims.deputyship !== signed.hash) return 'it names another deputyship than it brings along';
  const { deputyship } = signed;
  if (!samePerson(deputyship.deputy, claims.principal)) return `its deputyship is that of ${quote(deputyship.deputy)}`;
  if (!samePerson(deputyship.for, claims.on_behalf_of ?? '')) return `its deputyship is for ${quote(deputyship.for)}`;
  if (deputyship.namespace !== claims.aud.namespace) return 'its deputyship is for another namespace';
  const roles = rolesOfUse(signed, use);
  if (typeof roles === 'string') return roles;
  const more = claims.roles.find((role) => !roles.includes(role));
  if (more !== undefined) return `${quote(deputyship.for)} gives no deputy the role ${more}`;
  return periodFault(deputyship, use.thenMs) ?? scopeFault(deputyship, use);
}

/** Why a deputyship does not count whatever is decided; null: it does, within its period. */
export function deputyshipFault(signed: SignedDeputyship, use: DeputyUse): string | null {
  const roles = rolesOfUse(signed, use);
  return typeof roles === 'string' ? roles : null;
}

/** The roles that a deputyship gives, as far as the keys are known here. Workers check them with their own. */
export function rolesOfDeputy(signed: SignedDeputyship, use: DeputyUse): string[] {
  const roles = rolesOfUse(signed, use);
  return typeof roles === 'string' ? [...(signed.deputyship.roles ?? [])] : [...roles];
}

/** The roles that the deputy may use; a text: why the deputyship does not count. */
function rolesOfUse(signed: SignedDeputyship, use: DeputyUse): readonly string[] | string {
  const { deputyship, hash, signature } = signed;
  const { keys, thenMs, knownMs = thenMs } = use;
  const revocation = keys.find(({ kid, use: kind }) => kind === 'deputy' && kid === deputyshipId(hash));
  const fault = revocation === undefined ? null : notInForce(revocation, thenMs, knownMs);
  if (fault !== null) return fault;
  const signer = signature instanceof Uint8Array ? ofKey(deputyship, signature, use) : ofPasskey(deputyship, signature, use);
  if (typeof signer === 'string') return signer;
  const { roles = signer.roles ?? [] } = deputyship;
  const more = signer.roles && roles.find((role) => !signer.roles!.includes(role));
  return more === undefined ? roles : `key ${deputyship.kid} does not give a deputy the role ${more}`;
}

/** What the signer may give; `roles` absent: any. A text: why it may not name deputies. */
type SignerRoles = { roles?: readonly string[] } | string;

function ofPasskey(
  deputyship: Deputyship,
  { assertion, enrolment, enrolmentSignature }: PasskeySignature,
  use: DeputyUse,
): SignerRoles {
  return (
    enrolmentFault({ enrolment, enrolmentSignature }, use.keys, use.thenMs, use.knownMs) ??
    assertedFault(deputyship, { assertion, enrolment }) ?? { roles: enrolment.roles }
  );
}

/** Why the passkey did not sign the deputyship, whoever enrolled it; null: it did, or a key signed it. */
export function passkeySignatureFault({ deputyship, signature }: SignedDeputyship): string | null {
  return signature instanceof Uint8Array ? null : assertedFault(deputyship, signature);
}

function assertedFault(
  deputyship: Deputyship,
  { assertion, enrolment }: Omit<PasskeySignature, 'enrolmentSignature'>,
): string | null {
  const passkey = keyOfEnrolment(enrolment);
  if (deputyship.kid !== passkey.kid || deputyship.enrolment !== enrolmentHash(enrolment))
    return 'its deputyship names another passkey or enrolment';
  if (!samePerson(deputyship.for, enrolment.principal))
    return `passkey ${passkey.kid} names deputies of ${quote(enrolment.principal)} only`;
  return assertionFault(assertion, deputyshipChallenge(deputyship), passkey, enrolment);
}

function ofKey(deputyship: Deputyship, signature: Uint8Array, { keys, thenMs, knownMs }: DeputyUse): SignerRoles {
  const key = keys.find(({ kid }) => kid === deputyship.kid);
  if (!key || isRevocation(key) || signsReceipts(key))
    return `key ${deputyship.kid}, which signed its deputyship, is not trusted here`;
  if (!verify(null, deputyshipBytes(deputyship), publicKey(key.public), signature))
    return 'the signature of its deputyship is not right';
  if ((deputyship.v === 'holdfast.deputy-record/1') !== (key.use === 'gateway') || key.use === 'bundle')
    return `key ${key.kid} may not sign such a deputyship: its use is ${key.use}`;
  const fault = undecidedBy(key, 'approve') ?? notInForce(key, thenMs, knownMs);
  if (fault !== null) return fault;
  if (key.use === 'principal')
    return samePerson(key.principal ?? '', deputyship.for)
      ? { roles: key.roles ?? [] }
      : `key ${key.kid} names deputies of ${quote(key.principal ?? '')} only`;
  if (deputyship.roles === undefined) return 'its deputyship names no roles';
  return key.roles === undefined ? {} : { roles: key.roles };
}

function periodFault({ for: person, from, until }: Deputyship, thenMs: number): string | null {
  if (from * 1000 > thenMs + CLOCKS_MS) return `${quote(person)} has this deputy only from ${isoOf(from)} on`;
  return until * 1000 <= thenMs ? `the deputyship for ${quote(person)} ended at ${isoOf(until)}` : null;
}

function scopeFault({ agents, tools }: Deputyship, { agent, tool }: DeputyUse): string | null {
  if (agent !== undefined && agents && !agents.includes(agent)) return `its deputyship is not for calls of agent ${quote(agent)}`;
  return tool !== undefined && tools && !tools.includes(tool) ? `its deputyship is not for calls of ${quote(tool)}` : null;
}

/** A time of a deputyship, ISO 8601. */
export function isoOf(seconds: number): string {
  return new Date(Math.min(seconds * 1000, 8.64e15)).toISOString();
}

/** Quoted and short: it is another person's text. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100).toWellFormed());
}
