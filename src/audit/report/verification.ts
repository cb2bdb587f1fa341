/** Puts the verifier's result into words for the report. */
import type { Verification } from '../verify';
import { capital } from '../verify/fault';
import { describeVerification } from '../verify/sentence';
import type { VerificationSummary } from './doc';

export function summarizeVerification(result: Verification): VerificationSummary {
  const [headline = '', ...details] = describeVerification(result);
  const { verdict, complete, signatures, bad_starts: bad, unchecked_decisions: unchecked } = result;
  const isProved = bad === 0 && unchecked === 0 && [...signatures.values()].every((state) => state === 'holds');
  return {
    tone:
      verdict === 'broken' || verdict === 'contradictory'
        ? 'bad'
        : verdict === 'intact' && complete && isProved
          ? 'good'
          : 'warn',
    headline: capital(headline),
    details: [...(ADVICE[verdict] ?? []), ...details],
  };
}

const ADVICE: Readonly<Partial<Record<Verification['verdict'], string[]>>> = {
  broken: ['Do not rely on the content below: the file was changed, or contradicts itself.'],
  contradictory: ['Its sources disagree, and its signer recorded that they do. Find out which of them was changed.'],
  unwitnessed: ['A receipt is demanded: whoever had the key that signs bundles could have made it at any time.'],
  signer_unknown: ['Anybody could have made it. Verify it with keys that you have from somebody whom you trust (--trust FILE).'],
};
