/** What is known of the signatures of people: what the verifier has found, and nothing else. */
import type { Json } from '../../shared/json/json';
import type { SignatureState } from '../verify/verification';

/** By the text of what was signed. */
export type Signatures = ReadonlyMap<string, SignatureState>;

/** Null: there is none. */
export type Signature = SignatureState | null;

export function signatureOf(attestation: Json | undefined, signatures: Signatures): Signature {
  if (typeof attestation !== 'string' || attestation === '') return null;
  return signatures.get(attestation) ?? 'not checked';
}
