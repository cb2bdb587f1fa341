/**
 * Splits the content of a JSON value into groups of one to three consecutive words. Two values with the same content share groups,
 * in whatever form: a text inside JSON inside a text, a card in Markdown, a line that was cut.
 */
import { isJsonObject, type Json } from '../../shared/json/json';

/** Characters: a word of this length counts by itself; a shorter one only together with its neighbours. */
const ALONE = 4;
/** Hashes, idempotency keys, ids and times count whole: many of them are the record's own, and stand in what stays. */
const ID = /\b(?:(?:hf_)?[0-9a-f]{40,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*Z)\b/g;
/** Begins the group of such an id. */
const ID_SIGN = '#';
/** Names of fields that a program has chosen. Others may be content, such as addresses of mail. */
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
/** An escape sequence of JSON in a text. */
const JSON_ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/g;
const WORD = /[\p{L}\p{N}_]+(?:[@.+'-]+[\p{L}\p{N}_]+)*/gu;

/** The groups in lower case, with repetitions. */
export function* gramsOf(value: Json, key = ''): Generator<string> {
  if (typeof value === 'string') yield* gramsOfText(value, key);
  else if (typeof value === 'number') yield* gramsOfNumber(value, key);
  else if (Array.isArray(value)) for (const item of value) yield* gramsOf(item, key);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) {
      yield* IDENTIFIER.test(name) ? idsIn(name) : gramsOfText(name, '');
      yield* gramsOf(item, name.toLowerCase());
    }
}

/** Whether a group is an id, a hash or a time. */
export function isId(gram: string): boolean {
  return gram.startsWith(ID_SIGN);
}

function* idsIn(text: string): Generator<string> {
  for (const id of text.match(ID) ?? []) yield `${ID_SIGN}${id}`;
}

function* gramsOfText(text: string, key: string): Generator<string> {
  yield* idsIn(text);
  const words = wordsOf(text);
  if (words.length === 1 && words[0]!.length < ALONE) yield `${key} ${words[0]}`;
  for (const [index, word] of words.entries()) {
    if (word.length >= ALONE) yield word;
    if (index >= 1) yield `${words[index - 1]} ${word}`;
    if (index >= 2) yield `${words[index - 2]} ${words[index - 1]} ${word}`;
  }
}

/** A number counts together with its field name; a text contains it in the same spelling. */
function* gramsOfNumber(value: number, key: string): Generator<string> {
  const text = String(Math.abs(value)).toLowerCase();
  if (key !== '') yield `${key} ${text}`;
  if (text.length >= ALONE) yield text;
}

function wordsOf(text: string): string[] {
  const plain = text.replace(ID, ' ').replace(JSON_ESCAPE, ' ').toLowerCase();
  return plain.match(WORD) ?? [];
}
