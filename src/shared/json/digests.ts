/**
 * The hashes that name inputs, calls and effects (docs/bundle-format.md, "Words"). Each is the SHA-256 of a canonical
 * object whose `v` separates the kinds. Fields are copied one by one, so that a caller's extra field never gets into a digest.
 */
import { canonical } from './canonical';
import type { Json } from './json';
import { sha256Hex } from './sha256';
import type { ToolClass } from '../turn/tool-class';

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

/** Equal for equal effective inputs of one tool version, in any turn: it finds "the same input twice". */
export function inputDigest(identity: InputIdentity): string {
  return hashJson(inputPreimage(identity));
}

/** What {@link inputDigest} hashes. */
export function inputPreimage({ tool, version, input }: InputIdentity): Json {
  return { v: 'holdfast.input/1', tool, version, input };
}

/** The fields of a turn that go into a call's digest. */
export interface CallTurn {
  turn_id: string;
  workflow_id: string;
  /** Survives resets and continue-as-new. */
  first_execution_run_id: string;
  agent: string;
  requester: string;
  /** The store that the turn began with. Absent: the turn began with digests of version 1. */
  store_id?: string;
}

/** The fields of a call that go into its digest. */
export interface CallFields {
  /** `<step>.<index>`, see {@link callId}. */
  id: string;
  /** Increases with an edit or a changed preview. */
  revision: number;
  tool: string;
  version: string;
  class: ToolClass;
  /** {@link hashJson} of the effective input. */
  input_hash: string;
  /** Part with what approvers saw besides the input; null: there is none. */
  preview_ref: string | null;
  policy_ref: string;
  /** The agent's definition when the call was admitted. Absent in version 1, like `target_hash`. */
  definition_ref?: string;
  /** {@link hashJson} of the tool's configured target; null: the tool declares none. */
  target_hash?: string | null;
}

/** What a call's digest of version 2 is the hash of (decision 0033). The store keeps it under that digest. */
export type CallRecord = {
  v: 'holdfast.call/2';
  call_id: string;
  definition_ref: string;
  target_hash: string | null;
} & Required<CallTurn> &
  Pick<CallFields, 'revision' | 'tool' | 'version' | 'class' | 'input_hash' | 'preview_ref' | 'policy_ref'>;

/**
 * @throws Error for a turn or a call of version 1
 */
export function callRecord(turn: CallTurn, call: CallFields): CallRecord {
  const { store_id } = turn;
  const { definition_ref, target_hash } = call;
  if (store_id === undefined || definition_ref === undefined || target_hash === undefined)
    throw new Error(`Call ${call.id} names no store, no definition or no target: its digest cannot be of version 2`);
  return {
    v: 'holdfast.call/2',
    store_id,
    turn_id: turn.turn_id,
    workflow_id: turn.workflow_id,
    first_execution_run_id: turn.first_execution_run_id,
    agent: turn.agent,
    definition_ref,
    requester: turn.requester,
    call_id: call.id,
    revision: call.revision,
    tool: call.tool,
    version: call.version,
    class: call.class,
    target_hash,
    input_hash: call.input_hash,
    preview_ref: call.preview_ref,
    policy_ref: call.policy_ref,
  };
}

/** What a decision names: one call in one revision. Version 2 if the turn is bound to a store, else version 1. */
export function callDigest(turn: CallTurn, call: CallFields): string {
  if (turn.store_id !== undefined) return hashJson({ ...callRecord(turn, call) });
  return hashJson({
    v: 'holdfast.call/1',
    turn_id: turn.turn_id,
    call_id: call.id,
    revision: call.revision,
    tool: call.tool,
    version: call.version,
    class: call.class,
    input_hash: call.input_hash,
    preview_ref: call.preview_ref,
    policy_ref: call.policy_ref,
    requester: turn.requester,
  });
}

/** Identifies one action of one turn, in every revision of the call. */
export function actHash(act: { first_execution_run_id: string; call_id: string; tool: string; input_hash: string }): string {
  const { first_execution_run_id, call_id, tool, input_hash } = act;
  return hashJson({ v: 'holdfast.act/1', first_execution_run_id, call_id, tool, input_hash });
}

export interface EffectIdentity {
  workflow_id: string;
  /** Survives resets and continue-as-new, and so does the key. */
  first_execution_run_id: string;
  call_id: string;
  /** The call digest, 64 hex. */
  digest: string;
}

/** `hf_` and 40 hex: the same in every attempt, also after a crash, a pause and a reset. */
export function idempotencyKey({ workflow_id, first_execution_run_id, call_id, digest }: EffectIdentity): string {
  return `hf_${hashJson({ v: 'holdfast.idem/1', workflow_id, first_execution_run_id, call_id, digest }).slice(0, 40)}`;
}
