/**
 * The hashes that name inputs, calls and effects (contract.md, "Hashes, blocks, ids, states"). Each is
 * the SHA-256 of a canonical object whose `v` separates the kinds. Fields are copied one by one: a
 * caller's extra field can never slip into a digest.
 */
import { canonical } from './canonical';
import type { Json } from './json';
import { sha256Hex } from './sha256';
import type { ToolClass } from './tool-class';

/**
 * SHA-256 of the canonical form, 64 lower-case hex characters.
 * @throws CanonicalError for a value that has no canonical form
 */
export function hashJson(value: Json): string {
  return sha256Hex(canonical(value));
}

export interface InputIdentity {
  tool: string;
  version: string;
  /** The effective input: defaults applied. */
  input: Json;
}

/** "The same input twice": equal for equal effective inputs of one tool version, whatever the turn. */
export function inputDigest(identity: InputIdentity): string {
  return hashJson(inputPreimage(identity));
}

/** What {@link inputDigest} hashes, for whoever has a faster SHA-256. */
export function inputPreimage({ tool, version, input }: InputIdentity): Json {
  return { v: 'holdfast.input/1', tool, version, input };
}

export interface CallIdentity {
  turn_id: string;
  /** `<step>.<index>`, see {@link callId}. */
  call_id: string;
  /** Grows with an edit or a drifted preview. */
  revision: number;
  tool: string;
  version: string;
  class: ToolClass;
  /** {@link hashJson} of the effective input. */
  input_hash: string;
  /** Part with the preview, or null if there is none. */
  preview_ref: string | null;
  policy_ref: string;
  requester: string;
}

/** What a decision names: this one call, in this one revision. */
export function callDigest(call: CallIdentity): string {
  return hashJson({
    v: 'holdfast.call/1',
    turn_id: call.turn_id,
    call_id: call.call_id,
    revision: call.revision,
    tool: call.tool,
    version: call.version,
    class: call.class,
    input_hash: call.input_hash,
    preview_ref: call.preview_ref,
    policy_ref: call.policy_ref,
    requester: call.requester,
  });
}

/** One act of one turn, whichever revision of the call it is done under. */
export function actHash(act: { first_execution_run_id: string; call_id: string; tool: string; input_hash: string }): string {
  const { first_execution_run_id, call_id, tool, input_hash } = act;
  return hashJson({ v: 'holdfast.act/1', first_execution_run_id, call_id, tool, input_hash });
}

export interface EffectIdentity {
  workflow_id: string;
  /** Survives resets and continue-as-new, so that the key does. */
  first_execution_run_id: string;
  call_id: string;
  /** The call digest, 64 hex. */
  digest: string;
}

/** `hf_` and 40 hex: the same in every attempt, after a crash, a pause and a reset. */
export function idempotencyKey({ workflow_id, first_execution_run_id, call_id, digest }: EffectIdentity): string {
  return `hf_${hashJson({ v: 'holdfast.idem/1', workflow_id, first_execution_run_id, call_id, digest }).slice(0, 40)}`;
}
