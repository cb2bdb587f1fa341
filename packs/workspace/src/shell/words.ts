/**
 * Cuts a shell command into simple commands and words, well enough to recognise what is dangerous: quotes and backslashes are
 * removed, operators separate, and the text in $(…), `…`, <(…) or (…) is a command of its own. It is no shell: what only running
 * would show (variables, aliases) stays unknown.
 */

export interface SimpleCommand {
  /** The name and its arguments, unquoted; assignments before the name are left out. */
  words: string[];
  /** `NAME=value` before the name. */
  assignments: string[];
  /** Targets of > and >>. */
  writesTo: string[];
  /** The name of the command that reads this one's output. */
  pipedInto: string | null;
}

interface Building {
  words: string[];
  writesTo: string[];
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', '}', 'time', 'coproc', 'function']);

/** Its time is proportional to the text's length. */
export function simpleCommands(text: string): SimpleCommand[] {
  const reader = new Reader(text);
  reader.read();
  return reader.commands;
}

class Reader {
  readonly commands: SimpleCommand[] = [];
  private current: Building = { words: [], writesTo: [] };
  private word: string | null = null;
  private intoFile = false;
  private pipeFrom: SimpleCommand | null = null;
  private at = 0;
  /** Outer commands, which continue after the end of a command in them. */
  private readonly outer: { current: Building; word: string | null; pipeFrom: SimpleCommand | null; closer: string }[] = [];

  constructor(private readonly text: string) {}

  read(): void {
    while (this.at < this.text.length) this.step();
    while (this.outer.length > 0) this.close();
    this.endCommand(false);
  }

  private step(): void {
    const { text } = this;
    const char = text[this.at]!;
    const two = text.slice(this.at, this.at + 2);
    if (char === '\\') return this.add(text[this.at + 1] === '\n' ? '' : (text[this.at + 1] ?? ''), 2);
    if (char === "'") return this.readQuote("'");
    if (two === "$'") return this.readAnsiQuote();
    if (two === '$(' || two === '<(' || two === '>(') return this.open(')', 2);
    if (char === '`') return this.outer.at(-1)?.closer === '`' ? this.close() : this.open('`', 1);
    if (char === '"') return this.readDoubleQuote();
    if (char === '(' && this.definition()) return;
    if (char === '(') return this.open(')', 1);
    if (char === ')') return this.outer.at(-1)?.closer === ')' ? this.close() : this.separator(1, false);
    if (char === '#' && this.word === null) return this.comment();
    if (char === '>' || two === '&>') return this.redirect();
    if (char === '<') return this.plain(1);
    if (two === '&&' || two === '||' || two === ';;') return this.separator(2, false);
    if (char === '|') return this.separator(two === '|&' ? 2 : 1, true);
    if (char === ';' || char === '&' || char === '\n') return this.separator(1, false);
    if (char === ' ' || char === '\t' || char === '\r') return this.plain(1);
    this.add(char, 1);
  }

  private add(text: string, length: number): void {
    this.word = (this.word ?? '') + text;
    this.at += length;
  }

  private plain(length: number): void {
    this.endWord();
    this.at += length;
  }

  private readQuote(quote: string): void {
    const end = this.text.indexOf(quote, this.at + 1);
    const stop = end === -1 ? this.text.length : end;
    this.add(this.text.slice(this.at + 1, stop), stop + 1 - this.at);
  }

  /** `$'…'`: its escapes could spell anything, so the common ones are decoded. */
  private readAnsiQuote(): void {
    const match = /\$'((?:[^'\\]|\\[\s\S])*)'?/y;
    match.lastIndex = this.at;
    const [all, body] = match.exec(this.text)!;
    const code = (digits: string, base: number) => {
      const value = parseInt(digits, base);
      return value <= 0x10ffff ? String.fromCodePoint(value) : '';
    };
    const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
    this.add(
      body!.replace(
        /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
        (_all, x, u, U, o, c) => (o !== undefined ? code(o, 8) : c !== undefined ? (escapes[c] ?? c) : code(x ?? u ?? U, 16)),
      ),
      all.length,
    );
  }

  /** Text, except for the commands in it. */
  private readDoubleQuote(): void {
    let i = this.at + 1;
    let body = '';
    for (; i < this.text.length && this.text[i] !== '"'; i++) {
      if (this.text[i] === '\\') body += this.text[++i] ?? '';
      else body += this.text[i];
    }
    this.add(body, i + 1 - this.at);
    if (body.includes('$(') || body.includes('`')) this.inner(body);
  }

  /** Substitutions within quotes: each is parsed by itself. One level; deeper ones in quotes are read as words. */
  private inner(body: string): void {
    for (const [, round, ticks] of body.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)) {
      if (this.outer.length < 50) this.commands.push(...simpleCommands((round ?? ticks ?? '').replaceAll('"', ' ')));
    }
  }

  private comment(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  private redirect(): void {
    if (this.word !== null && /^\d+$/.test(this.word)) this.word = null; // 2> names a descriptor
    this.endWord();
    const operator = /&?>[>|&]?/y;
    operator.lastIndex = this.at;
    this.at += operator.exec(this.text)![0].length;
    this.intoFile = true;
  }

  /** `name()`: the function's body is the next command. */
  private definition(): boolean {
    const empty = /\(\s{0,20}\)/y;
    empty.lastIndex = this.at;
    const length = empty.exec(this.text)?.[0].length ?? 0;
    if (length === 0 || (this.word === null && this.current.words.length === 0)) return false;
    this.separator(length, false);
    return true;
  }

  private open(closer: string, length: number): void {
    this.outer.push({ current: this.current, word: this.word, pipeFrom: this.pipeFrom, closer });
    this.current = { words: [], writesTo: [] };
    this.word = null;
    this.pipeFrom = null;
    this.at += length;
  }

  private close(): void {
    this.endCommand(false);
    const { current, word, pipeFrom } = this.outer.pop()!;
    this.current = current;
    this.pipeFrom = pipeFrom;
    this.word = `${word ?? ''}$(…)`;
    this.at += 1;
  }

  private separator(length: number, pipe: boolean): void {
    this.endCommand(pipe);
    this.at += length;
  }

  private endWord(): void {
    if (this.word === null) return;
    if (this.intoFile) this.current.writesTo.push(this.word);
    else this.current.words.push(this.word);
    this.intoFile = false;
    this.word = null;
  }

  private endCommand(pipe: boolean): void {
    this.endWord();
    this.intoFile = false;
    const { words, writesTo } = this.current;
    this.current = { words: [], writesTo: [] };
    while (words.length > 0 && KEYWORDS.has(words[0]!)) words.shift();
    const index = words.findIndex((word) => !ASSIGNMENT.test(word));
    const assignments = words.splice(0, index === -1 ? words.length : index);
    if (words.length === 0 && assignments.length === 0 && writesTo.length === 0) return;
    const command: SimpleCommand = { words, assignments, writesTo, pipedInto: null };
    if (this.pipeFrom) this.pipeFrom.pipedInto = words[0] ?? null;
    this.pipeFrom = pipe ? command : null;
    this.commands.push(command);
  }
}
