/** Whose signed decisions a worker believes. */
import type { CheckDecisionInput, CheckDecisionOutput, TurnContext } from '../shared/activity-io';

export interface Trust {
  /**
   * Whether a signed decision is genuine, in force, and about exactly this; never throws on what it is given.
   * @param roles one of which the principal must hold, where it approves or settles; empty: any
   * @param at ISO 8601: when it came, and was found good; absent: it comes now. A key that is revoked since then counts no more.
   */
  check(said: CheckDecisionInput, roles: readonly string[], at?: string): Promise<CheckDecisionOutput>;
  /**
   * Whether the requester himself, or a gateway for him, has started exactly this; never throws.
   * @returns why not, or null
   */
  checkStart(said: SignedStart): Promise<string | null>;
}

export interface SignedStart {
  turn: TurnContext;
  /** As it was asked for; empty: none was named. */
  agent: string;
  /** Hash of what was asked. */
  message_hash: string;
  attestation: string;
  /** ISO 8601: when it began, where that is long ago. Absent: now. */
  at?: string;
}

const NOBODY = 'this worker trusts no keys (HOLDFAST_TRUSTED_KEYS)';

/** A worker without keys. */
export const TRUSTS_NOBODY: Trust = {
  check: async () => ({ ok: false, reason: NOBODY }),
  checkStart: async () => NOBODY,
};
