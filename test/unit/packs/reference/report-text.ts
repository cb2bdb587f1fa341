/** What a person would read in a made report: opened by parsers that are not ours. */
import { inflateSync } from 'node:zlib';
import mammoth from 'mammoth';

/** Windows-1252 from 0x80 to 0x9f; `?` where it has none. */
const HIGH = '€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ';
const letter = (byte: number) => (byte >= 0x80 && byte < 0xa0 ? HIGH[byte - 0x80]! : String.fromCharCode(byte));

/** Words of a PDF that pdfkit made in the standard fonts: the hexadecimal strings of its text operators. */
export function pdfText(pdf: Buffer): string {
  const source = pdf.toString('latin1');
  const out: string[] = [];
  for (const match of source.matchAll(/stream\r?\n/g)) {
    const start = match.index + match[0].length;
    const end = source.indexOf('endstream', start);
    let content: string;
    try {
      content = inflateSync(pdf.subarray(start, end)).toString('latin1');
    } catch {
      continue; // the end of a stream before
    }
    for (const [, line] of content.matchAll(/\[([^\]]*)\] TJ/g)) {
      const bytes = [...line!.matchAll(/<([0-9a-f]+)>/g)].map(([, hex]) => Buffer.from(hex!, 'hex'));
      out.push([...Buffer.concat(bytes)].map(letter).join(''));
    }
  }
  return out.join('\n');
}

export const pdfPages = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/Type \/Page\b(?!s)/g)].length;
export const pdfLinks = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/URI \(([^)]*)\)/g)].map((match) => match[1]);

export async function docxHtml(docx: Buffer): Promise<string> {
  return (await mammoth.convertToHtml({ buffer: docx })).value;
}
