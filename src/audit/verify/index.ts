/** Verifies a bundle offline, in one pass, against the keys that the auditor trusts (docs/bundle-format.md, "What is checked"). */
import { isRevocation, type TrustEntry } from '../../attestation/trusted-keys';
import { BUNDLE_VERSION, type BundleBody, type EndBody } from '../format/lines';
import { BrokenLine, readLines, type Chunks } from '../format/reader';
import { Fault } from './fault';
import { ContentChecks } from './content-checks';
import { signerFault } from './signer';
import { Structure } from './structure';
import { beforeRedaction, olderBeforeRedaction } from './trailer';
import type { Verification } from './verification';

export type { Verification } from './verification';

const DISAGREEMENT_NOTE = 'Its sources disagreed when it was made, says its signer';

/**
 * Verifies a bundle. It reads `chunks` once, as a stream, and holds one line of it at a time.
 *
 * @param chunks the bytes of the bundle
 * @param trust the keys that the auditor trusts; with none the signer is unknown
 * @param options.requireReceipt a bundle without a receipt of a trusted witness or timestamp authority is not intact
 * @returns the verdict. A broken bundle is a verdict too: this throws only what reading `chunks` throws.
 * @example
 * const keys = await readTrustedKeys('keys.json');
 * const { verdict, why } = await verifyBundle(createReadStream('turn.jsonl'), keys);
 */
export async function verifyBundle(
  chunks: Chunks,
  trust: readonly TrustEntry[],
  { requireReceipt = false }: { requireReceipt?: boolean } = {},
): Promise<Verification> {
  const structure = new Structure();
  const meaning = new ContentChecks(trust, structure);
  try {
    let lines = 0;
    for await (const line of readLines(chunks)) {
      structure.take(line);
      if (line.kind !== 'receipt') meaning.take(line);
      lines += 1;
    }
    const { bundle, end } = structure.finish(lines);
    const { missing, ...witnessed } = await structure.receipts.judge(trust, requireReceipt);
    const { fault } = meaning;
    const contradiction = end.contradiction ?? null;
    // The trailer names no contradiction at this line or before it.
    if (fault && !(contradiction && contradiction.line <= fault.line)) throw fault;
    const unknown = signerFault(trust, end, bundle.made_at);
    const same = fault !== null && fault.line === contradiction?.line;
    return {
      verdict: contradiction
        ? 'contradictory'
        : unknown !== null
          ? 'signer_unknown'
          : missing === null
            ? 'intact'
            : 'unwitnessed',
      complete: end.complete,
      line: contradiction?.line ?? null,
      rule: contradiction?.rule ?? null,
      why: contradiction ? (same ? fault.message : DISAGREEMENT_NOTE) : (unknown ?? missing ?? ''),
      signed_by: unknown === null ? end.kid : null,
      ...factsOf(trust, structure, meaning),
      ...witnessed,
    };
  } catch (error) {
    if (!(error instanceof BrokenLine || error instanceof Fault)) throw error;
    const line = error instanceof BrokenLine ? error.n : error.line;
    const broken = { verdict: 'broken' as const, complete: null, line, rule: error.rule, why: error.message, signed_by: null };
    return { ...broken, ...factsOf(trust, structure, meaning), receipts: [], not_before: null };
  }
}

/** The original of a redacted bundle; null: nothing was redacted. */
function originalOf(trust: readonly TrustEntry[], { made_at, v }: BundleBody, end: EndBody): Verification['made_of'] {
  if (end.redaction === null) return null;
  const older = v !== BUNDLE_VERSION;
  const keys = trust.flatMap((key) => (isRevocation(key) ? [] : [key]));
  let first: EndBody | null = older ? olderBeforeRedaction(end, keys) : end;
  for (let original = first; original !== null && !older; original = beforeRedaction(original)) first = original;
  const isTrusted = first !== null && signerFault(trust, first, made_at) === null;
  return { root: first?.root ?? end.redaction.of.root, signed_by: isTrusted ? first!.kid : null };
}

function factsOf(trust: readonly TrustEntry[], { omissions, bundle, end }: Structure, { attestations }: ContentChecks) {
  return {
    redactions: omissions.parts + omissions.payloads,
    made_of: bundle && end ? originalOf(trust, bundle, end) : null,
    unchecked_decisions: attestations.uncheckedCount,
    passkeys: [...attestations.passkeys.values()].sort((a, b) => (a.kid < b.kid ? -1 : 1)),
    bad_starts: attestations.badStarts,
    unsigned_notes: attestations.unsignedNotes.size,
    signatures: attestations.states,
    subject: bundle?.subject ?? null,
    agent: bundle?.agent ?? null,
    tenant: bundle?.tenant,
    chained: bundle?.chained ?? true,
    root: end?.root ?? null,
    previous: end?.previous ?? null,
  };
}
