/** Decides whose signed decisions count: those of the keys in one file. It answers any input, and never throws. */
import { verify } from 'node:crypto';
import type { Trust, TrustAnswer } from '../activities/ports';
import { samePerson } from '../shared/approval/approval';
import type { CheckDecisionInput } from '../shared/io/activities';
import type { Json } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { sessionWorkflowId } from '../shared/ids';
import { LONGEST_S } from './bundle-signer';
import { decisionClaims, startClaims, type DecisionClaims, readToken } from './claims';
import { claimsOfDecision, deputyFault, deputyshipOf, ownDecision } from './deputy-decision';
import { deputyshipId, type SignedDeputyship } from './deputyship';
import { enrolmentFault } from './enrolment';
import { isPasskeyText, passkeyFault, readPasskeyDecision } from './passkey-decision';
import { publicKey } from './public-key';
import {
  CLOCKS_MS,
  isRevocation,
  notInForce,
  readTrustedKeys,
  signsReceipts,
  undecidedBy,
  type TrustedKey,
  type TrustEntry,
} from './trusted-keys';
import { errorMessage } from '../shared/text/error-message';

export interface TrustSettings {
  /** The file of trusted keys. */
  path: string;
  /** The namespace in which decisions count. */
  namespace: string;
  /** Gets an error when the file cannot be used. */
  log: { error(facts: object, message: string): void };
  /** ms since the epoch. Default: the clock. */
  now?: () => number;
}

/** Whom a signature may speak for: a key of the file, or a passkey by its enrolment. */
type Speaker = Pick<TrustedKey, 'kid' | 'use' | 'principal' | 'roles' | 'decides'>;

type SignatureCheck<C> = { ok: true; claims: C; key: Speaker; keys: readonly TrustEntry[] } | { ok: false; reason: string };

export class FileTrust implements Trust {
  constructor(private readonly settings: TrustSettings) {}

  async check(statement: CheckDecisionInput, roles: readonly string[], at?: string): Promise<TrustAnswer> {
    const { attestation } = statement;
    const own = typeof attestation === 'string' ? ownDecision(attestation) : attestation;
    const byPasskey = typeof own === 'string' && isPasskeyText(own);
    const result = byPasskey ? await this.verifyPasskey(own, at) : await this.verifyClaims(own, decisionClaims, at);
    if (!result.ok) return result;
    const { claims, key, keys } = result;
    if ((claims.deputyship !== undefined) !== (own !== attestation)) return { ok: false, reason: NO_FORM };
    const deputy = own === attestation ? null : deputyshipOf(attestation);
    const { agent } = statement.turn;
    const use = { keys, ...this.timesAt(at), agent, ...optional({ tool: statement.tool || undefined }) };
    const reason =
      undecidedBy(key, claims.decision) ??
      speaksFor(key, claims.principal, claims.deputyship === undefined ? claims.roles : []) ??
      (claims.deputyship === undefined ? null : deputyFault(claims, deputy, use)) ??
      this.aboutThis(claims, statement) ??
      lacksRole(claims, roles);
    if (reason !== null) return { ok: false, reason };
    const { principal, on_behalf_of } = claims;
    return { ok: true, principal, ...(deputy === null ? {} : { on_behalf_of: on_behalf_of!, deputyship: shortOf(deputy) }) };
  }

  signedAt(attestation: string): string | null {
    const claims = claimsOfDecision(attestation);
    return claims === null ? null : new Date(claims.iat * 1000 + 999).toISOString();
  }

  async checkStart(start: Parameters<Trust['checkStart']>[0]): Promise<string | null> {
    const result = await this.verifyClaims(start.attestation, startClaims, start.at);
    if (!result.ok) return result.reason;
    const { aud, requester, agent, message_hash } = result.claims;
    const fault = speaksFor(result.key, requester, []);
    if (fault !== null) return fault;
    const { workflow_id, session_id } = start.turn;
    const here = [workflow_id, ...(session_id === null ? [] : [sessionWorkflowId(session_id)])];
    if (aud.namespace !== this.settings.namespace || !here.includes(aud.workflow_id)) return 'it was signed for another turn';
    if (!samePerson(requester, start.turn.requester)) return `it was signed for ${quoteName(requester)}`;
    if (agent !== start.agent) return `it was signed for agent ${quoteName(agent)}`;
    return message_hash === start.message_hash ? null : 'it was signed for another message';
  }

  /** The claims, if signature, key and time are valid. */
  private async verifyClaims<C extends { kid: string; iat: number; exp: number }>(
    attestation: string,
    read: (claims: Json) => C | null,
    at?: string,
  ): Promise<SignatureCheck<C>> {
    const no = (reason: string): SignatureCheck<C> => ({ ok: false, reason });
    const token = typeof attestation === 'string' ? readToken(attestation) : null;
    const claims = token && read(token.claims);
    if (!token || !claims) return no(NO_FORM);
    const keys = await this.keys();
    if (keys === null) return no(NO_KEYS);
    const key = keys.find(({ kid }) => kid === claims.kid);
    if (!key || isRevocation(key) || signsReceipts(key))
      return no(
        `key ${claims.kid} is not trusted here: add it to the file of trusted keys of each worker (docs/deployment.md, "Several hosts")`,
      );
    if (!verify(null, token.bytes, publicKey(key.public), token.signature)) return no('its signature is not right');
    const { thenMs, knownMs } = this.timesAt(at);
    const fault = notInForce(key, thenMs, knownMs) ?? notNow(claims, thenMs);
    return fault === null ? { ok: true, claims, key, keys } : no(fault);
  }

  /** The same for a passkey: its enrolment must be signed by an enroller of this worker's own file. */
  private async verifyPasskey(attestation: string, at?: string): Promise<SignatureCheck<DecisionClaims>> {
    const no = (reason: string): SignatureCheck<DecisionClaims> => ({ ok: false, reason });
    const decision = readPasskeyDecision(attestation);
    if (decision === null) return no('it does not have the format of a decision that a passkey signed');
    const keys = await this.keys();
    if (keys === null) return no(NO_KEYS);
    const { thenMs, knownMs } = this.timesAt(at);
    const fault = enrolmentFault(decision, keys, thenMs, knownMs) ?? passkeyFault(decision) ?? notNow(decision.claims, thenMs);
    const { claims, enrolment } = decision;
    const key: Speaker = { kid: claims.kid, use: 'principal', principal: enrolment.principal, roles: enrolment.roles };
    return fault === null ? { ok: true, claims, key, keys } : no(fault);
  }

  /** When a statement was found valid, and until when what was revoked is known. @param at absent: now */
  private timesAt(at?: string): { thenMs: number; knownMs: number } {
    const knownMs = (this.settings.now ?? Date.now)();
    return { thenMs: at === undefined ? knownMs : Date.parse(at), knownMs };
  }

  private async keys(): Promise<TrustEntry[] | null> {
    try {
      return await readTrustedKeys(this.settings.path);
    } catch (error) {
      const todo = 'Fix the file (HOLDFAST_TRUSTED_KEYS). Until then no signed decision counts.';
      this.settings.log.error({ error: errorMessage(error), todo }, 'no trusted keys');
      return null;
    }
  }

  private aboutThis(claims: DecisionClaims, statement: CheckDecisionInput): string | null {
    const { aud } = claims;
    const { workflow_id, first_execution_run_id, store_id } = statement.turn;
    const here = aud.workflow_id === workflow_id && aud.first_execution_run_id === first_execution_run_id;
    if (!here || aud.namespace !== this.settings.namespace) return 'it was signed for another turn';
    if (aud.store_id !== store_id) return otherStore(aud.store_id, store_id);
    if (claims.digest !== statement.digest)
      return `it was signed for another ${statement.decision === 'steer' ? 'message' : 'call'}`;
    if (claims.decision !== statement.decision) return `it was signed to ${claims.decision}, not to ${statement.decision}`;
    if ((claims.outcome ?? null) !== statement.outcome) return `it was signed for the outcome ${claims.outcome ?? 'none'}`;
    if ((claims.input_hash ?? null) !== statement.input_hash) return 'it was signed for another input';
    const note = statement.note_hash ?? null;
    if (claims.note_hash === undefined)
      return note === null ? null : `the note beside it is not signed (${claims.v}); sign it again, with the note`;
    return claims.note_hash === note ? null : 'it was signed with another note, or with none';
  }
}

const NO_FORM = 'it does not have the format that `holdfast sign` writes for this';
const NO_KEYS = 'this worker cannot read its file of trusted keys; its log says why';

/** Null: the key may speak for this principal, in these roles. */
function speaksFor(key: Speaker, principal: string, roles: readonly string[]): string | null {
  if (key.use === 'gateway') return null;
  if (key.use === 'bundle') return `key ${key.kid} may sign bundles only`;
  if (key.use === 'enroller') return `key ${key.kid} may enrol passkeys only`;
  if (!samePerson(key.principal ?? '', principal)) return `key ${key.kid} speaks for ${quoteName(key.principal ?? '')} only`;
  const more = roles.find((role) => !(key.roles ?? []).includes(role));
  return more === undefined ? null : `key ${key.kid} does not give the role ${more}`;
}

function shortOf({ hash, deputyship: { v } }: SignedDeputyship): { id: string; isRecord: boolean } {
  return { id: deputyshipId(hash), isRecord: v === 'holdfast.deputy-record/1' };
}

function otherStore(signedStore: string | undefined, own: string | undefined): string {
  if (signedStore === undefined) return 'it was signed for a turn that is bound to no store (holdfast.decision/1); sign it again';
  return `it was signed for a turn of store ${signedStore}, but this turn is ${own === undefined ? 'bound to no store' : `of store ${own}`}`;
}

function lacksRole({ decision, principal, roles }: DecisionClaims, neededRoles: readonly string[]): string | null {
  if (decision === 'deny' || neededRoles.length === 0 || roles.some((role) => neededRoles.includes(role))) return null;
  return `${quoteName(principal)} has none of the roles ${neededRoles.join(', ')}`;
}

function notNow({ iat, exp }: { iat: number; exp: number }, now: number): string | null {
  if (exp <= iat || exp - iat > LONGEST_S) return `its validity must be longer than zero and at most ${LONGEST_S / 3600} hours`;
  if (iat * 1000 > now + CLOCKS_MS) return 'it was signed in the future; compare the clocks';
  return exp * 1000 <= now ? `it expired at ${new Date(exp * 1000).toISOString()}` : null;
}

/** Quoted, since the name in a genuine token is still another person's text. */
function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 100).toWellFormed());
}
