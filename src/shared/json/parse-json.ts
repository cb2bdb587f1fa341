/**
 * A strict JSON parser (RFC 8259, with the limits of I-JSON, RFC 7493). `JSON.parse` silently keeps the last of two equal keys and
 * rounds large integers: two readers of one text could then see two values, and a person could approve one while the other runs.
 * This parser refuses such a text.
 * One pass, no backtracking: the time is linear in the length of the text, hostile or not.
 */
import { type Json, type JsonObject, hasLoneSurrogate, isUnsafeInteger, MAX_JSON_DEPTH, setOwn } from './json';

/** A text that is not strict JSON. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  constructor(
    /** Offset in UTF-16 code units, from 0. */
    readonly position: number,
    readonly reason: string,
  ) {
    super(`Not strict JSON at position ${position}: ${reason}`);
  }
}

/**
 * Parses one JSON text. A key `__proto__` becomes an own property; `-0` becomes `0`.
 * @throws JsonSyntaxError for a syntax error, a duplicate key, a lone surrogate, an integer beyond
 *   ±(2^53−1), a number beyond a double, and nesting deeper than 200
 */
export function parseJson(text: string): Json {
  const parser = new Parser(text);
  return parser.document();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.fail(`expected the end, found ${this.describeNext()}`);
    return value;
  }

  private value(): Json {
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return this.descend(() => this.object());
      case '[':
        return this.descend(() => this.array());
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private descend<T>(read: () => T): T {
    if (this.depth >= MAX_JSON_DEPTH) this.fail(`nested deeper than ${MAX_JSON_DEPTH}`);
    this.depth++;
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    if (this.takes('}')) return object;
    do {
      this.space();
      const start = this.at;
      if (this.text[start] !== '"') this.fail(`expected a key in double quotes, found ${this.describeNext()}`);
      const key = this.string();
      if (Object.hasOwn(object, key)) this.fail(`duplicate key ${JSON.stringify(key.slice(0, 80))}`, start);
      if (!this.takes(':')) this.fail(`expected ":", found ${this.describeNext()}`);
      setOwn(object, key, this.value());
    } while (this.takes(','));
    if (!this.takes('}')) this.fail(`expected "," or "}", found ${this.describeNext()}`);
    return object;
  }

  private array(): Json[] {
    const array: Json[] = [];
    if (this.takes(']')) return array;
    do {
      array.push(this.value());
    } while (this.takes(','));
    if (!this.takes(']')) this.fail(`expected "," or "]", found ${this.describeNext()}`);
    return array;
  }

  private string(): string {
    const start = this.at++;
    const pieces: string[] = [];
    let from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        pieces.push(this.text.slice(from, this.at), this.escape());
        from = this.at;
      } else if (code >= 0x20) {
        this.at++;
      } else {
        // At the end of the text the code is NaN.
        this.fail(this.at < this.text.length ? 'a control character in a string; escape it' : 'a string without an end');
      }
    }
    const rest = this.text.slice(from, this.at++);
    const value = pieces.length === 0 ? rest : pieces.join('') + rest;
    if (hasLoneSurrogate(value)) this.fail('a lone surrogate in the string', start);
    return value;
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? '';
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('\\u needs four hex digits');
      this.at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }
    if (!Object.hasOwn(ESCAPES, letter)) this.fail('an unknown escape');
    this.at += 2;
    return ESCAPES[letter] as string;
  }

  private number(): number {
    const start = this.at;
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else this.digits(start);
    if (this.text[this.at] === '.') {
      this.at++;
      this.digits(start);
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      this.at++;
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
      this.digits(start);
    }
    const value = Number(this.text.slice(start, this.at));
    if (!Number.isFinite(value)) this.fail('a number beyond the range of a double', start);
    if (isUnsafeInteger(value)) this.fail('an integer beyond ±(2^53−1); send it as a string', start);
    return value === 0 ? 0 : value;
  }

  private digits(start: number): void {
    const from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (!(code >= 0x30 && code <= 0x39)) break;
      this.at++;
    }
    if (this.at === from)
      this.fail(
        from === start ? `expected a value, found ${this.describeNext()}` : `expected a digit, found ${this.describeNext()}`,
      );
  }

  private word<T extends Json>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail(`expected a value, found ${this.describeNext()}`);
    this.at += word.length;
    return value;
  }

  private takes(char: string): boolean {
    this.space();
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private describeNext(): string {
    return this.at < this.text.length ? JSON.stringify(this.text[this.at]) : 'the end';
  }

  private fail(reason: string, position = this.at): never {
    throw new JsonSyntaxError(position, reason);
  }
}
