/** Signs decisions on the waiting calls of a turn, and messages to it, for `holdfast sign` and for the gateway. */
import { attestDecision, type IssuanceClaimName } from '../../attestation/bundle-signer';
import { LONGEST_TOKEN, type DecisionAudience, type DecisionClaims } from '../../attestation/claims';
import { writeDeputyDecision } from '../../attestation/deputy-decision';
import { readSignedDeputyship } from '../../attestation/deputyship';
import type { SigningKey } from '../../attestation/signing-key';
import { noteHash, steerDigest } from '../../shared/approval/decision';
import { hashJson } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import type { SurfacedCall, TurnView } from '../../shared/turn/turn-view';
import { DecisionNotAccepted } from '../errors';
import { pendingOf, type TurnHandle } from '../turns/turn-handle';
import { optional } from '../../shared/json/optional';

export interface Signing {
  decision: Exclude<DecisionClaims['decision'], 'steer'>;
  /** The first 12 or more characters of each digest. */
  calls: readonly string[];
  principal: string;
  roles: readonly string[];
  /** For `settle`. */
  outcome?: 'applied' | 'not_applied';
  /** For `edit`: the whole new input. */
  input?: JsonObject;
  /** For `answer`: the answer. */
  value?: Json;
  /** The note that is sent beside the decision: with another one, or none, the decision does not count. */
  note?: string;
  /** For `approve`, by a deputy: the signed deputyship. The roles are those of the person whom it is for. */
  deputyship?: string;
}

export interface SignedDecision {
  /** All 64 characters. */
  call: string;
  attestation: string;
}

/**
 * Signs one decision for each call; changes nothing.
 * @throws DecisionNotAccepted for a call that does not wait; TurnNotFound, NoWorker
 */
export async function signDecisions(turn: TurnHandle, key: SigningKey, signing: Signing): Promise<SignedDecision[]> {
  const decisions = await unsignedDecisions(turn, signing);
  return decisions.map(({ claims, until }) => ({
    call: claims.digest,
    attestation: withDeputyship(signing, attestDecision(key, claims, until)),
  }));
}

/** A deputy's decision brings the deputyship along. */
export function withDeputyship({ deputyship }: Pick<Signing, 'deputyship'>, decision: string): string {
  return deputyship === undefined ? decision : writeDeputyDecision(deputyship, decision);
}

/** Whether the whole text would be longer than a decision may be. */
export function isTooLong(decision: string, { deputyship }: Pick<Signing, 'deputyship'>): boolean {
  return decision.length + (deputyship === undefined ? 0 : deputyship.length + 6) > LONGEST_TOKEN;
}

/** What a key or a passkey has to sign. */
export interface UnsignedDecision {
  claims: Omit<DecisionClaims, IssuanceClaimName>;
  /** ISO 8601: until when it should be valid; null: for a day. */
  until: string | null;
}

/**
 * One decision for each call, as it is before anybody signs it.
 * @throws DecisionNotAccepted for a call that does not wait; TurnNotFound, NoWorker
 */
export async function unsignedDecisions(turn: TurnHandle, signing: Signing): Promise<UnsignedDecision[]> {
  const { decision, principal, roles, outcome, input, value, note } = signing;
  const signedInput = decision === 'answer' ? value : input;
  const stead = signing.deputyship === undefined ? {} : steadOf(signing.deputyship);
  const [view, aud] = await Promise.all([turn.status(), turn.audience()]);
  return signing.calls.map((prefix) => {
    const digest = waitingDigest(view, prefix);
    const { of } = pendingOf(view).find((call) => call.digest === digest) ?? {};
    const until = goodUntil(view, digest);
    const claims = {
      // A sub-agent's call belongs to its own turn, wherever the decision is sent.
      aud: of ? { namespace: aud.namespace, ...turnOf(of) } : aud,
      digest,
      decision,
      principal,
      ...stead,
      roles: [...roles],
      head: of ? of.head : view.head,
      ...optional({ outcome }),
      ...(signedInput === undefined ? {} : { input_hash: hashJson(signedInput) }),
      note_hash: noteHash(note ?? null),
    };
    return { claims, until };
  });
}

/** @throws DecisionNotAccepted for a text that is no deputyship */
function steadOf(text: string): Required<Pick<DecisionClaims, 'on_behalf_of' | 'deputyship'>> {
  const signed = readSignedDeputyship(text);
  if (signed === null) throw new DecisionNotAccepted('Not accepted: the text is no signed deputyship.');
  return { on_behalf_of: signed.deputyship.for, deputyship: signed.hash };
}

export interface SignedSending extends Omit<Signing, 'decision'> {
  /** `approve` with an input is an edit. */
  decision: 'approve' | 'deny' | 'settle' | 'answer';
}

/**
 * Signs decisions and sends them, with the note, input and outcome that the signatures cover.
 * @returns the whole digests. @throws DecisionNotAccepted with the reason; TurnNotFound, NoWorker
 */
export async function signAndDecide(turn: TurnHandle, key: SigningKey, sending: SignedSending): Promise<string[]> {
  const { decision, input } = sending;
  const decisions = await signDecisions(turn, key, { ...sending, decision: input === undefined ? decision : 'edit' });
  return sendSignatures(turn, sending, decisions);
}

/** Sends decisions that were signed before. @returns the whole digests. @throws DecisionNotAccepted with the reason */
export async function sendSignatures(
  turn: TurnHandle,
  { decision, principal, outcome, input, value, note }: SignedSending,
  decisions: readonly SignedDecision[],
): Promise<string[]> {
  const calls = decisions.map(({ call }) => call);
  const by = {
    by: principal,
    attestation: decisions.map(({ attestation }) => attestation),
    ...optional({ note }),
  };
  if (decision === 'approve') await turn.approve(calls, { ...by, ...optional({ input }) });
  else if (decision === 'deny') await turn.deny(calls, by);
  else if (decision === 'answer') await turn.answer(calls[0]!, value!, { ...by, attestation: by.attestation[0]! });
  else await turn.settle(calls, outcome!, by);
  return calls;
}

/**
 * Signs a message to a running turn, for a principal; changes nothing.
 * @throws TurnNotFound, NoWorker
 */
export async function signSteer(
  turn: TurnHandle,
  key: SigningKey,
  { text, principal, roles }: { text: string } & Pick<Signing, 'principal' | 'roles'>,
): Promise<string> {
  const [{ head }, aud] = await Promise.all([turn.status(), turn.audience()]);
  const statement = { digest: steerDigest(text), decision: 'steer' as const, principal, roles: [...roles] };
  return attestDecision(key, { aud, head, ...statement }, null);
}

function turnOf({
  workflow_id,
  first_execution_run_id,
  store_id,
}: Omit<SurfacedCall, 'call'>): Omit<DecisionAudience, 'namespace'> {
  return { workflow_id, first_execution_run_id, ...optional({ store_id }) };
}

/** The signature is checked again when the call runs. By then the call has waited for earlier calls, and for a worker. */
const AFTERWARDS_MS = 10 * 60_000;

/** Null: this call does not expire. */
function goodUntil(view: TurnView, digest: string): string | null {
  const waiting = pendingOf(view).filter(({ state }) => state === 'waiting');
  if (!waiting.some((call) => call.digest === digest)) return null;
  const expiries = waiting.map(({ approval }) => Date.parse(approval.expires_at ?? '')).filter(Number.isFinite);
  return expiries.length === 0 ? null : new Date(Math.max(...expiries) + AFTERWARDS_MS).toISOString();
}

/** The whole digest of a call that waits. @throws DecisionNotAccepted */
export function waitingDigest({ pending }: TurnView, call: string): string {
  const fit = /^[0-9a-f]{12,64}$/.test(call) ? pending.filter((digest) => digest.startsWith(call)) : [];
  if (fit.length === 1) return fit[0]!;
  const quote = JSON.stringify(call.slice(0, 70));
  const why =
    fit.length === 0
      ? `no call ${quote} waits for a person`
      : `call ${quote} fits ${fit.length} waiting calls; give more of the digest`;
  throw new DecisionNotAccepted(`Not accepted: ${why}.`);
}
