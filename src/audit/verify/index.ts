/** Verification of a bundle: offline, one pass, against keys that the auditor has brought (docs/bundle-format.md, "What is checked"). */
import type { TrustedKey } from '../../attestation/trusted-keys';
import { BUNDLE_VERSION, type BundleBody, type EndBody } from '../format/lines';
import { BrokenLine, readLines, type Chunks } from '../format/reader';
import type { SignatureState } from './attestations';
import { Fault } from './fault';
import { Meaning } from './meaning';
import { signerFault } from './signer';
import { Structure } from './structure';
import { beforeRedaction, olderBeforeRedaction } from './trailer';

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
  previous: EndBody['previous'];
}

const TOLD = 'Its sources disagreed when it was made, says whoever signed it';

/** Never throws for what the bytes hold; only what reading them throws. */
export async function verifyBundle(chunks: Chunks, trust: readonly TrustedKey[]): Promise<Verification> {
  const structure = new Structure();
  const meaning = new Meaning(trust, structure);
  try {
    let lines = 0;
    for await (const line of readLines(chunks)) {
      structure.take(line);
      meaning.take(line);
      lines += 1;
    }
    const { bundle, end } = structure.finish(lines);
    const { fault } = meaning;
    const known = end.contradiction ?? null;
    // What its maker has not told, or only what follows it.
    if (fault && !(known && known.line <= fault.line)) throw fault;
    const unknown = signerFault(trust, end, bundle.made_at);
    const same = fault !== null && fault.line === known?.line;
    return {
      verdict: known ? 'contradictory' : unknown === null ? 'intact' : 'signer_unknown',
      complete: end.complete,
      line: known?.line ?? null,
      rule: known?.rule ?? null,
      why: known ? (same ? fault.message : TOLD) : (unknown ?? ''),
      signed_by: unknown === null ? end.kid : null,
      ...factsOf(trust, structure, meaning),
    };
  } catch (error) {
    if (!(error instanceof BrokenLine || error instanceof Fault)) throw error;
    const line = error instanceof BrokenLine ? error.n : error.line;
    const broken = { verdict: 'broken' as const, complete: null, line, rule: error.rule, why: error.message, signed_by: null };
    return { ...broken, ...factsOf(trust, structure, meaning) };
  }
}

/** The first bundle that was signed, before anything was left out. */
function madeOf(trust: readonly TrustedKey[], { made_at, v }: BundleBody, end: EndBody): Verification['made_of'] {
  if (end.redaction === null) return null;
  const older = v !== BUNDLE_VERSION;
  let first: EndBody | null = older ? olderBeforeRedaction(end, trust) : end;
  for (let made = first; made !== null && !older; made = beforeRedaction(made)) first = made;
  const known = first !== null && signerFault(trust, first, made_at) === null;
  return { root: first?.root ?? end.redaction.of.root, signed_by: known ? first!.kid : null };
}

function factsOf(trust: readonly TrustedKey[], { left, bundle, end }: Structure, { attestations }: Meaning) {
  return {
    redactions: left.parts + left.payloads,
    made_of: bundle && end ? madeOf(trust, bundle, end) : null,
    unchecked_decisions: attestations.unchecked,
    bad_starts: attestations.badStarts,
    unsigned_notes: attestations.beyondNotes.size,
    signatures: attestations.states,
    subject: bundle?.subject ?? null,
    agent: bundle?.agent ?? null,
    tenant: bundle?.tenant,
    chained: bundle?.chained ?? true,
    root: end?.root ?? null,
    previous: end?.previous ?? null,
  };
}
