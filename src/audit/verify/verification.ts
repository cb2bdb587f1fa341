/** What the verification of a bundle finds. */

/** What is known of a signature. */
export type SignatureState = 'holds' | 'does not hold' | 'not checked';

/** The verdict on a bundle, and what it stands on. */
export interface Verification {
  /**
   * `intact`: a trusted key has signed it, and nothing contradicts anything. `signer_unknown`: the same without the key.
   * `contradictory`: whoever made it has found that its sources disagree, and says so in what is signed.
   * `broken`: something was changed, is missing, or contradicts something else.
   */
  verdict: 'intact' | 'signer_unknown' | 'contradictory' | 'broken';
  /** False: a turn runs still, or something of it is missing, and the bundle says so; null: it is broken. */
  complete: boolean | null;
  /** Of a broken or contradictory bundle: the first line that shows it, from 0, and the rule. */
  line: number | null;
  rule: string | null;
  /** What it means, in a sentence. */
  why: string;
  /** The key of the trust file that has signed it. */
  signed_by: string | null;
  /** Parts and payloads that were left out. */
  redactions: number;
  /** Of a redaction: the bundle that it was made of, and the key of the trust file that had signed that; null: nobody can tell, or it is none. */
  made_of: { root: string; signed_by: string | null } | null;
  /** Signed decisions, messages and starts that nobody could check: the trust file has no key of those who decide. */
  unchecked_decisions: number;
  /** Signatures on starts of turns that do not hold: who started them is not proved. */
  bad_starts: number;
  /** Notes beside signed decisions that the signature does not cover: those of older builds. */
  unsigned_notes: number;
  /** By its text: what is known of each signature of a person that was looked at; one that is not there was not checked. */
  signatures: ReadonlyMap<string, SignatureState>;
  subject: { kind: string; id: string } | null;
  agent: string | null;
  /** Undefined: of version 1, which does not say. */
  tenant: string | null | undefined;
  /** False: it was made to be read, and is no link of a chain. */
  chained: boolean;
  root: string | null;
  /** The bundle of the chain before this one; null: this is the first, or it is no link. */
  previous: { root: string; subject: string } | null;
}

/** What the verifier says, as `--json` prints it: without the text of each signature. */
export function forMachines({ signatures: _, ...told }: Verification): Omit<Verification, 'signatures'> {
  return told;
}
