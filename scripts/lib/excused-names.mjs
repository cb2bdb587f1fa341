/** Names that `scripts/words.mjs` would refuse, and why each stays. */
const PUBLIC = 'exported by an entry: public names stay';
const METHOD = 'method of a public class or interface';

export const EXCUSED_NAMES = new Map([
  ['keepSaid', 'name of an activity: it stands in histories'],
  ['readSaid', 'name of an activity: it stands in histories'],
  ['LegalHoldsFound', 'an error: a sentence'],
  ['TurnEnded', PUBLIC],
  ['ForkRefused', PUBLIC],
  ['Sent', PUBLIC],
  ['Told', PUBLIC],
  ['isolated', PUBLIC],
  ['UNSPACED', PUBLIC],
  ['indexed', PUBLIC],
  ['Offered', PUBLIC],
  ['Truncated', PUBLIC],
  ['truncated', PUBLIC],
  ['orAborted', PUBLIC],
  ['named', METHOD],
  ['started', METHOD],
  ['turnNamed', METHOD],
  ['sent', METHOD],
  ['offered', METHOD],
  ['pinned', METHOD],
  ['stopped', METHOD],
  ['decided', METHOD],
  ['signed', METHOD],
  ['set', 'a verb, as in Map'],
  ['left', 'as in left and right'],
  ['required', 'the word of JSON Schema'],
  ['allRefused', 'a field of the record'],
  ['nothingHappened', PUBLIC],
]);
