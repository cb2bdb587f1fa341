/** Describes a verification in words: never a bare "valid". */
import type { Verification } from './verification';

/** One or more lines; the first is the verdict. Names are escaped; the caller makes invisible characters visible. */
export function describeVerification(verification: Verification): string[] {
  const { verdict, why, line, rule } = verification;
  if (verdict === 'broken') return [`broken at line ${line} (${rule}): ${why}.`];
  if (verdict === 'contradictory') return [contradictory(verification), ...describeDetails(verification)];
  const answer =
    verdict === 'intact' ? `intact since signing by ${verification.signed_by}` : `consistent, signer unknown: ${why}`;
  return [`${answer}; ${describeLimits(verification)}; ${countRedactions(verification)}.`, ...describeDetails(verification)];
}

function contradictory(verification: Verification): string {
  const { why, line, rule, signed_by } = verification;
  const by = signed_by === null ? 'nobody that you trust has signed it' : `signed as contradictory by ${signed_by}`;
  return `contradictory at line ${line} (${rule}): ${why}; ${by}; ${describeLimits(verification)}; ${countRedactions(verification)}.`;
}

/** What the bundle alone does not prove. */
function describeLimits({ complete, previous, chained }: Verification): string {
  const whole = complete ? '' : 'incomplete, as its turn_end lines say; ';
  const before = !chained
    ? 'it was made to be read, and is no link of the chain'
    : previous === null
      ? 'it names no bundle before it'
      : `the bundle before it has root ${previous.root}`;
  return `${whole}completeness not proven beyond the turns in it (${before})`;
}

function countRedactions({ redactions }: Verification): string {
  return redactions === 1 ? '1 redaction' : `${redactions} redactions`;
}

function describeDetails({
  redactions,
  made_of: madeOf,
  unchecked_decisions: unchecked,
  bad_starts: bad,
  unsigned_notes: notes,
  passkeys,
}: Verification): string[] {
  return [
    ...(redactions > 0 ? ['What was left out could not be checked; its hashes are kept.'] : []),
    ...(madeOf === null
      ? []
      : madeOf.signed_by === null
        ? [`It was made of the bundle with root ${madeOf.root}; nobody can tell whether a key that you trust had signed that.`]
        : [`It was made of the bundle with root ${madeOf.root}, which ${madeOf.signed_by} had signed.`]),
    ...(unchecked > 0
      ? [`${unchecked} signatures of people were not checked: the trust file has no key of anybody who decides.`]
      : []),
    ...passkeys.map(
      ({ kid, principal, enrolled_by }) =>
        `Decisions by passkey ${kid} of ${JSON.stringify(principal)}, enrolled by ${enrolled_by}: their signatures hold.`,
    ),
    ...(notes > 0 ? [`${notes} ${notes === 1 ? 'note' : 'notes'} beside signed decisions: note not signed.`] : []),
    ...(bad > 0
      ? [
          `${bad} ${bad === 1 ? 'signature on the start of a turn does' : 'signatures on starts of turns do'} not hold: who started it is not proved.`,
        ]
      : []),
  ];
}
