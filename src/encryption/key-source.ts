/**
 * Where the key ring comes from, and when it is read again. A rotation needs no restart: a ring in use is read again from time to
 * time, and at once when a payload names a key that is not in it.
 */
import { exec } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../shared/text/error-message';
import { BadKeyRing } from '../shared/wire/errors';
import { KeyRing, unusable } from './key-ring';

/** A key service: `ring` is called at the start, from time to time, and when a key is missing. It gives what a file would hold. */
export interface KeyService {
  ring(): Promise<unknown> | unknown;
}

/** The path of a file, a command that prints the ring, or a key service. */
export type CodecKeys = string | { command: string } | KeyService;

/** A key of this ring that this process does not have. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';
  constructor(id: string, { where }: Keys) {
    super(
      `This is encrypted with the key ${id}, which is not in the key ring ${where}. Put the key back: what waits for it then goes on.`,
    );
  }
}

export interface KeyOptions {
  /** After this time a ring that is used, or that `readOnTime` reads, is read again, ms. */
  freshMs?: number;
  /** How long a missing key is waited for, ms: a rotation may reach another process first. */
  patienceMs?: number;
  /** Called when a ring in use could not be read again, once for each reason: the last one that was read goes on. */
  onFault?(reason: string): void;
}

/** ms */
const FRESH = 30_000;
const PATIENCE = 3000;
const RETRY_EVERY = 500;
const COMMAND_WITHIN = 60_000;
const MOST_OUTPUT = 1_000_000;
/** How many missing keys are remembered: each is waited for once in a while only. */
const MOST_MISSING = 100;

export class Keys {
  private readAt = 0;
  private reading: Promise<KeyRing> | null = null;
  /** Keys that were waited for in vain, and until when nobody waits for them again. */
  private readonly missing = new Map<string, number>();
  private readonly freshMs: number;
  private readonly patienceMs: number;
  private readonly onFault: (reason: string) => void;
  private lastFault: string | null = null;

  private constructor(
    /** The source, for errors. */
    readonly where: string,
    private readonly read: () => Promise<KeyRing>,
    private present: KeyRing,
    { freshMs = FRESH, patienceMs = PATIENCE, onFault = () => undefined }: KeyOptions,
  ) {
    this.onFault = onFault;
    this.freshMs = freshMs;
    this.patienceMs = patienceMs;
    this.readAt = performance.now();
  }

  /** @throws BadKeyRing */
  static async open(source: CodecKeys, options: KeyOptions = {}): Promise<Keys> {
    if (source instanceof Keys) return source;
    const { where, read } = readerOf(source);
    return new Keys(where, read, await read(), options);
  }

  /** Why the ring could not be read again; null: it was read. */
  get fault(): string | null {
    return this.lastFault;
  }

  /** The ring as it was read last. If it is old, it is read again meanwhile; a source that fails leaves it as it is. */
  ring(): KeyRing {
    if (performance.now() - this.readAt > this.freshMs) void this.readAgain().catch(() => undefined);
    return this.present;
  }

  /** Has the ring read again from time to time also while nobody uses it. @returns ends that */
  readOnTime(): () => void {
    const timer = setInterval(() => void this.readAgain().catch(() => undefined), this.freshMs).unref();
    return () => clearInterval(timer);
  }

  /**
   * A key for reading.
   * @throws MissingKey if it is still missing after a while
   */
  async key(id: string): Promise<Buffer> {
    const there = this.ring().key(id);
    if (there !== undefined) return there;
    const now = performance.now();
    const until = (this.missing.get(id) ?? 0) > now ? now : now + this.patienceMs;
    for (;;) {
      await this.readAgain().catch(() => undefined);
      const key = this.present.key(id);
      if (key !== undefined) return key;
      if (performance.now() >= until) break;
      await sleep(RETRY_EVERY);
    }
    if (this.missing.size >= MOST_MISSING) this.missing.clear();
    this.missing.set(id, performance.now() + this.freshMs);
    throw new MissingKey(id, this);
  }

  private readAgain(): Promise<KeyRing> {
    return (this.reading ??= this.read()
      .then(
        (ring) => {
          this.lastFault = null;
          return (this.present = ring);
        },
        (error: unknown) => {
          const reason = errorMessage(error);
          if (reason !== this.lastFault) this.onFault(reason);
          this.lastFault = reason;
          throw error;
        },
      )
      .finally(() => {
        this.readAt = performance.now();
        this.reading = null;
      }));
  }
}

function readerOf(source: CodecKeys): { where: string; read(): Promise<KeyRing> } {
  if (typeof source === 'string') return { where: source, read: () => ofFile(source) };
  if ('command' in source) {
    const where = 'of the command HOLDFAST_CODEC_KEYS_COMMAND';
    return { where, read: async () => KeyRing.parse(await outputOf(source.command, where), where) };
  }
  const where = 'of the key service';
  const read = async () => KeyRing.of(await (async () => source.ring())().catch((error: unknown) => failAs(where, error)), where);
  return { where, read };
}

async function ofFile(path: string): Promise<KeyRing> {
  const bad = (what: string) => new BadKeyRing(`The key ring ${path} cannot be used: ${what}.`);
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw bad(`others may read it; run chmod 600 ${path}`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof BadKeyRing) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw bad(code === 'ENOENT' ? 'there is no such file; `holdfast keys rotate` makes one' : (code ?? errorMessage(error)));
  }
  return KeyRing.parse(text, path);
}

/** What the command prints. Its standard error is not shown: it may be anything. */
function outputOf(command: string, where: string): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(command, { timeout: COMMAND_WITHIN, maxBuffer: MOST_OUTPUT, encoding: 'utf8' }, (error, output) => {
      if (error === null) resolve(output);
      else if (error.killed) reject(unusable(where, new Error(`it did not end within ${COMMAND_WITHIN / 1000} s`)));
      else reject(unusable(where, new Error(`it ended with code ${String(error.code)}`)));
    });
  });
}

function failAs(where: string, error: unknown): never {
  throw unusable(where, error);
}
