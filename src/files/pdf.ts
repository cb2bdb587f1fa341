/**
 * Checks the frame of a PDF: its first and last bytes, and that its table lies within it. What is packed inside is never opened here, so a
 * stream that would unpack to gigabytes costs nothing; the vendor that reads the document has limits of its own.
 */

const HEADER = /^%PDF-(?:1\.[0-7]|2\.0)/;
/** The end mark stands in the last bytes, as readers expect. */
const TAIL = 1024;
const END = '%%EOF';
const TABLE = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/;
/** A reference to the keys of an encrypted document. */
const KEY_REFERENCE = /\/Encrypt\s+\d{1,10}\s+\d{1,5}\s+R/;

export function pdfFault(bytes: Buffer): string | null {
  if (!HEADER.test(bytes.toString('latin1', 0, 8))) return 'its version is none that is known';
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL));
  if (!tail.includes(END)) return 'it is cut short, or something follows its end';
  const [, place] = TABLE.exec(tail) ?? [];
  if (place === undefined) return 'something follows its end, or it does not say where its table is';
  if (Number(place) >= bytes.length) return 'it is cut short: its table is missing';
  if (isEncrypted(bytes)) return 'it is encrypted: no model can read it. Send it without a password';
  return null;
}

function isEncrypted(bytes: Buffer): boolean {
  for (let at = bytes.indexOf('/Encrypt'); at >= 0; at = bytes.indexOf('/Encrypt', at + 1))
    if (KEY_REFERENCE.test(bytes.toString('latin1', at, at + 32))) return true;
  return false;
}
