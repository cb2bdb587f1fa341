/**
 * The mail server of the embedded stack: accepts every message and stores it as an .eml file. A message that comes twice is stored
 * twice, under a name that shows it, so that duplicates are seen.
 */
import { mkdir, rename, rm, writeFile, link } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { SMTPServerDataStream } from 'smtp-server';
import { optionalPackage } from '../optional-package';

const MAX_BYTES = 5 * 1024 * 1024;

export interface MailCatcher {
  port: number;
  /** Stops listening, and drops open connections. */
  close(): Promise<void>;
}

/**
 * Listens without authentication or TLS, on 127.0.0.1 unless `host` is another address.
 * @throws PackageMissing; Error when the port is taken
 */
export async function startMailCatcher(options: { dir: string; port?: number; host?: string }): Promise<MailCatcher> {
  const { SMTPServer } = optionalPackage<typeof import('smtp-server')>('smtp-server', 'The mail catcher');
  await mkdir(options.dir, { recursive: true });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAX_BYTES,
    banner: 'holdfast mail catcher',
    closeTimeout: 500,
    onData(stream, _session, callback) {
      store(options.dir, stream).then(
        (name) => callback(null, `stored as ${name}`),
        (error: Error & { responseCode?: number }) => callback(error),
      );
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => resolve());
  });
  server.on('error', () => undefined); // a client that disconnects must not end the stack
  const port = (server.server.address() as AddressInfo).port;
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function store(dir: string, stream: SMTPServerDataStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk as Buffer);
  if (stream.sizeExceeded) throw Object.assign(new Error(`message is larger than ${MAX_BYTES} bytes`), { responseCode: 552 });
  const raw = Buffer.concat(chunks);
  const temporary = join(dir, `.incoming-${randomUUID()}`);
  await writeFile(temporary, raw);
  try {
    return await settle(dir, temporary, safeName(raw));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Names the file by a hard link, which fails if the name is taken: two messages at once can't overwrite each other. */
async function settle(dir: string, temporary: string, base: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${base}.eml` : `${base}.duplicate-${n}.eml`;
    try {
      await link(temporary, join(dir, name));
      return name;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') continue;
      const unsupported = code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS'; // a file system without hard links
      if (!unsupported) throw error;
      const unique = `${base}.${randomUUID()}.eml`;
      await rename(temporary, join(dir, unique));
      return unique;
    }
  }
}

/** The Message-ID without brackets, made safe as a file name; a random name if there is none. */
function safeName(raw: Buffer): string {
  const text = raw.toString('latin1');
  const end = text.search(/\r?\n\r?\n/);
  const headers = (end < 0 ? text : text.slice(0, end)).replace(/\r?\n[ \t]+/g, ' ');
  const id = /^message-id:\s*<?([^>\r\n]+)>?/im.exec(headers)?.[1]?.trim() ?? '';
  const safe = id
    .replace(/[^A-Za-z0-9@._-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 150);
  return safe === '' ? `no-message-id-${randomUUID()}` : safe;
}
