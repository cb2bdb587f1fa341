/**
 * Types of a report's document, from which both HTML and Markdown are written. All text in it is written by others: it is shown,
 * never interpreted.
 */

/** A piece of a line. `code`: verbatim; `to`: an id of this document. */
export type Inline = string | { code: string } | { strong: string } | { to: string; text: string };
export type Text = Inline | Inline[];
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

export type Node =
  | { is: 'section'; id: string; title: Text; body: Node[] }
  | { is: 'heading'; text: Text }
  | { is: 'paragraph'; text: Text }
  | { is: 'notice'; tone: Tone; title: string; items: Text[] }
  | { is: 'list'; items: Text[] }
  | { is: 'facts'; rows: [string, Text][] }
  | { is: 'table'; caption: string; head: string[]; rows: Text[][] }
  /** Text as it was written; never read as markup. */
  | { is: 'quote'; label: string; text: string }
  | { is: 'fold'; id: string; title: Text; open: boolean; body: Node[] }
  /** HTML only: a table beside it says the same. */
  | { is: 'picture'; svg: string; label: string }
  /** HTML only: an image that was in a message. Its content was checked. */
  | { is: 'image'; mediaType: string; base64: string; label: string }
  | { is: 'columns'; columns: Node[][] };

export interface Doc {
  title: string;
  body: Node[];
}

export const heading = (text: Text): Node => ({ is: 'heading', text });
export const paragraph = (text: Text): Node => ({ is: 'paragraph', text });
export const code = (text: string): Inline => ({ code: text });
export const strong = (text: string): Inline => ({ strong: text });

/** A list of facts, without empty ones. */
export function facts(rows: [string, Text | null | undefined | false][]): Node[] {
  const filledRows = rows.filter(
    (row): row is [string, Text] => row[1] !== null && row[1] !== undefined && row[1] !== false && row[1] !== '',
  );
  return filledRows.length === 0 ? [] : [{ is: 'facts', rows: filledRows }];
}

/** What the verifier found, in words. */
export interface VerificationSummary {
  tone: Exclude<Tone, 'plain'>;
  /** One sentence: never a bare "valid". */
  headline: string;
  details: string[];
}
