/** Looks up what the verifier found about people's signatures. Nothing is checked here. */
import type { Json } from '../../shared/json/json';
import type { SignatureState } from '../verify/verification';

/** The verifier's finding, by the text of the signature. */
export type Signatures = ReadonlyMap<string, SignatureState>;

/** Null: there is no signature. */
export type Signature = SignatureState | null;

export function signatureOf(attestation: Json | undefined, signatures: Signatures): Signature {
  if (typeof attestation !== 'string' || attestation === '') return null;
  return signatures.get(attestation) ?? 'not checked';
}
