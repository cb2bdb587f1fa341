/** What the verifier has said of a bundle, in words for the report. */
import type { Verification } from '../verify';
import type { Verified } from './doc';

export function verified(result: Verification): Verified {
  const { verdict, complete, line, rule, why, signed_by, redactions, unchecked_decisions, root } = result;
  const details = [
    ...(root === null ? [] : [`Root of the bundle: ${root}`]),
    ...(complete === false ? ['It is not complete, and says so: of each turn it tells why.'] : []),
    ...(redactions > 0 ? [`${redactions} parts and payloads were left out by whoever redacted it; their hashes are there.`] : []),
    ...(unchecked_decisions > 0
      ? [`${unchecked_decisions} signed decisions could not be checked: the trust file has no key of those who decide.`]
      : []),
  ];
  if (verdict === 'broken') {
    const headline = `Broken at line ${line ?? 0} (rule ${rule ?? 'unknown'}): ${why}`;
    return { tone: 'bad', headline, details: ['Do not rely on what stands below: the file was changed, or contradicts itself.', ...details] };
  }
  if (verdict === 'signer_unknown') {
    const headline = `Consistent, signer unknown: ${why}.`;
    return { tone: 'warn', headline, details: ['Whoever holds any key could have made it. Verify it with keys that you have from somebody you trust.', ...details] };
  }
  return {
    tone: complete ? 'good' : 'warn',
    headline: `Intact since signing by key ${signed_by ?? ''}. Completeness is not proven beyond what that key’s holder chose to sign.`,
    details,
  };
}
