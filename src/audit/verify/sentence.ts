/** Describes a verification in words: never a bare "valid". */
import type { Verification } from './verification';

/** One or more lines; the first is the verdict. Names are escaped; the caller makes invisible characters visible. */
export function describeVerification(verification: Verification): string[] {
  const { verdict, why, line, rule } = verification;
  if (verdict === 'broken') return [`broken at line ${line} (${rule}): ${why}.`];
  if (verdict === 'contradictory') return [contradictory(verification), ...describeDetails(verification)];
  const answer = verdict === 'signer_unknown' ? `consistent, signer unknown: ${why}` : since(verification);
  return [`${answer}; ${describeLimits(verification)}; ${countRedactions(verification)}.`, ...describeDetails(verification)];
}

function since({ verdict, why, signed_by }: Verification): string {
  const signed = `since signing by ${signed_by}`;
  return verdict === 'intact' ? `intact ${signed}` : `not witnessed, consistent ${signed}: ${why}`;
}

/** What receipts prove. A receipt of nobody whom the auditor trusts proves nothing. */
function describeReceipts({ receipts, not_before: notBefore }: Verification): string[] {
  const proofs = receipts.flatMap(({ by, kid, at, state }) =>
    state === 'holds' ? [`Not newer than ${at}, by ${by === 'witness' ? 'witness' : 'timestamp authority'} ${kid}.`] : [],
  );
  const unknown = receipts.filter(({ state }) => state === 'unknown signer').length;
  const unread = receipts.filter(({ state }) => state === 'not checked').length;
  return [
    ...proofs,
    ...(notBefore === null
      ? []
      : [`Not older than ${notBefore.at}, by witness ${notBefore.by}: it contains a tree head of that time.`]),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? 'receipt is' : 'receipts are'} of nobody that you trust.`] : []),
    ...(unread > 0
      ? [`${unread} ${unread === 1 ? 'timestamp was' : 'timestamps were'} not checked: the package asn1js is not installed.`]
      : []),
  ];
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

function describeDetails(verification: Verification): string[] {
  return [...describeReceipts(verification), ...describeOthers(verification)];
}

function describeOthers({
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
