/** The result of a bundle's verification, and its form for `--json`. */

/** The result of checking one signature. */
export type SignatureState = 'holds' | 'does not hold' | 'not checked';

/** A passkey whose signatures hold. */
export interface PasskeyFinding {
  kid: string;
  /** Whose it is, according to its enrolment. */
  principal: string;
  /** The `kid` of the key that signed its enrolment. */
  enrolled_by: string;
}

/** What a receipt after the trailer shows (docs/witness.md). One that does not hold makes the bundle broken. */
export interface ReceiptFinding {
  by: 'witness' | 'timestamp';
  /** The witness's key; the certificate of the trust file from which the timestamp is. Null: no trusted one. */
  kid: string | null;
  /** The bundle existed at this time, by the clock of the signer: ISO 8601. Null: not checked. */
  at: string | null;
  /** `unknown signer`: it fits the bundle, and proves nothing. `not checked`: the package asn1js is not installed. */
  state: 'holds' | 'unknown signer' | 'not checked';
}

/** The verdict on a bundle, with the facts behind it. */
export interface Verification {
  /**
   * `intact`: a trusted key signed the bundle, and no records contradict each other. `signer_unknown`: the key is not trusted.
   * `contradictory`: the maker found that the sources disagree, and the signed trailer says so.
   * `unwitnessed`: all is as for `intact`, but a receipt that the auditor demands is not there.
   * `broken`: something was changed, is missing, or contradicts something else.
   */
  verdict: 'intact' | 'unwitnessed' | 'signer_unknown' | 'contradictory' | 'broken';
  /** False: the bundle says that a turn still runs, or that something of it is missing. Null: the bundle is broken. */
  complete: boolean | null;
  /** The first faulty line, counted from 0, and the rule that it breaks. Null unless broken or contradictory. */
  line: number | null;
  rule: string | null;
  /** The reason for the verdict; may be empty. */
  why: string;
  /** The `kid` of the trusted key that signed the bundle. */
  signed_by: string | null;
  /** Number of parts and payloads that were left out. */
  redactions: number;
  /** For a redaction: the root of the original bundle, and the trusted key that signed it (null: unknown). Null: no redaction. */
  made_of: { root: string; signed_by: string | null } | null;
  /** Number of signed decisions, messages and starts not checked: the trust file has no `gateway`, `principal` or `enroller` key. */
  unchecked_decisions: number;
  /** The passkeys that signed decisions in it, in the order of their `kid`. */
  passkeys: PasskeyFinding[];
  /** Number of invalid signatures on starts of turns: who started these turns is not proved. */
  bad_starts: number;
  /** Number of notes that the signature of their decision does not cover: older builds did not sign notes. */
  unsigned_notes: number;
  /** The state of each signature of a person, by the signature's text. A signature that is absent here was not checked. */
  signatures: ReadonlyMap<string, SignatureState>;
  subject: { kind: string; id: string } | null;
  agent: string | null;
  /** Undefined: a bundle of version 1 does not name its tenant. */
  tenant: string | null | undefined;
  /** False: the bundle was made for reading only, and is not part of a chain. */
  chained: boolean;
  root: string | null;
  /** The preceding bundle of the chain; null: this is the first, or not part of a chain. */
  previous: { root: string; subject: string } | null;
  /** In the order of: receipts of witnesses, timestamps. Empty for a broken bundle. */
  receipts: ReceiptFinding[];
  /** The bundle was made after this time, by the clock of a trusted witness: it contains a tree head of then. Null: not proved. */
  not_before: { at: string; by: string } | null;
}

/** The verification as `--json` prints it: without the signatures' texts. */
export function forMachines({ signatures: _, ...output }: Verification): Omit<Verification, 'signatures'> {
  return output;
}
