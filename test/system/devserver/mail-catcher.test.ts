import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';

describe('the mail catcher', () => {
  let dir: string;
  let catcher: MailCatcher;
  beforeEach(async () => {
    dir = join(await mkdtemp(join(tmpdir(), 'holdfast-mail-')), 'outbox');
    catcher = await startMailCatcher({ dir });
  });
  afterEach(async () => {
    await catcher.close();
    await rm(dirname(dir), { recursive: true, force: true });
  });

  const send = (message: object) =>
    nodemailer
      .createTransport({ host: '127.0.0.1', port: catcher.port })
      .sendMail({ from: 'a@example.com', to: 'b@example.com', ...message });

  it('stores a message as an .eml file that carries its Message-ID', async () => {
    await send({ messageId: '<one@example.com>', subject: 'One', text: 'Hello' });
    expect(await readdir(dir)).toEqual(['one@example.com.eml']);
    expect(await PostalMime.parse(await readFile(join(dir, 'one@example.com.eml')))).toMatchObject({
      subject: 'One',
      text: 'Hello\n',
    });
  });

  it('makes duplicates visible, even when they arrive at once, and overwrites nothing', async () => {
    await Promise.all([1, 2, 3].map((n) => send({ messageId: '<same@example.com>', text: `copy ${n}` })));
    expect((await readdir(dir)).sort()).toEqual([
      'same@example.com.duplicate-2.eml',
      'same@example.com.duplicate-3.eml',
      'same@example.com.eml',
    ]);
  });

  it('lets no Message-ID leave its folder', async () => {
    await send({ messageId: '<../../etc/passwd>', text: 'x' });
    const names = await readdir(dir);
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^[A-Za-z0-9@._-]+\.eml$/);
    expect(names[0]!.startsWith('.')).toBe(false);
  });

  it('refuses a message that is too large, and leaves nothing behind', async () => {
    await expect(send({ text: 'x'.repeat(6 * 1024 * 1024) })).rejects.toThrow();
    expect(await readdir(dir)).toEqual([]);
  });

  it('listens on this machine only, and stops when closed', async () => {
    await catcher.close();
    await expect(send({ text: 'late' })).rejects.toThrow(/ECONNREFUSED/);
  });
});
