/** The text that a person would read in a made report, by other parsers than ours. */
import { inflateSync } from 'node:zlib';
import mammoth from 'mammoth';

/** Windows-1252 from 0x80 to 0x9f; `?` for an unassigned code. */
const HIGH = '€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ';
const letter = (byte: number) => (byte >= 0x80 && byte < 0xa0 ? HIGH[byte - 0x80]! : String.fromCharCode(byte));

/** Words of a PDF that pdfkit made in the standard fonts: the hexadecimal strings of its text operators. */
export function pdfText(pdf: Buffer): string {
  return shownTexts(pdf)
    .map((bytes) => [...bytes].map(letter).join(''))
    .join('\n');
}

/** Words of a PDF in its one embedded font: numbers of glyphs, by the table of the characters that they stand for. */
export function embeddedText(pdf: Buffer): string {
  const table = streams(pdf).find((content) => content.includes('beginbfrange')) ?? '';
  const characters: string[] = [];
  for (const [, start, list] of table.matchAll(/^<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*)\]$/gm))
    [...list!.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, hex], index) => {
      const utf16 = Buffer.from(hex!.replaceAll(' ', ''), 'hex');
      characters[parseInt(start!, 16) + index] = utf16.swap16().toString('utf16le');
    });
  return shownTexts(pdf)
    .map((bytes) => Array.from({ length: bytes.length / 2 }, (_, at) => characters[bytes.readUInt16BE(2 * at)]).join(''))
    .join('');
}

function shownTexts(pdf: Buffer): Buffer[] {
  return streams(pdf).flatMap((content) =>
    [...content.matchAll(/\[([^\]]*)\] TJ/g)].map(([, line]) =>
      Buffer.concat([...line!.matchAll(/<([0-9a-f]+)>/g)].map(([, hex]) => Buffer.from(hex!, 'hex'))),
    ),
  );
}

function streams(pdf: Buffer): string[] {
  const source = pdf.toString('latin1');
  const out: string[] = [];
  for (const match of source.matchAll(/stream\r?\n/g)) {
    const start = match.index + match[0].length;
    const end = source.indexOf('endstream', start);
    try {
      out.push(inflateSync(pdf.subarray(start, end)).toString('latin1'));
    } catch {
      // the end of a stream before
    }
  }
  return out;
}

export const pdfPages = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/Type \/Page\b(?!s)/g)].length;
export const pdfLinks = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/URI \(([^)]*)\)/g)].map((match) => match[1]);

export async function docxHtml(docx: Buffer): Promise<string> {
  return (await mammoth.convertToHtml({ buffer: docx })).value;
}
