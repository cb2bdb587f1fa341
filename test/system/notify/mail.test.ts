import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';
import { createNotifier } from '../../../src/notify';
import { badSmtpServer } from '../packs/finance/bad-smtp-server';
import { aQuestion, nothingDone, SECRET, WHERE } from '../../support/notify/questions';
import { receiver } from '../../support/notify/receiver';

let dir: string;
let catcher: MailCatcher;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-notify-'));
  catcher = await startMailCatcher({ dir });
});
afterEach(async () => {
  await catcher.close();
  await rm(dir, { recursive: true, force: true });
});

const mailTo = (to: string[], port = catcher.port) => ({
  host: '127.0.0.1',
  port,
  secure: false,
  from: 'Holdfast <agents@bank.example>',
  to,
  timeoutMs: 10_000,
});
const notifierTo = (...to: string[]) => createNotifier({ webhook: null, mail: mailTo(to), ...WHERE })!;

async function mails() {
  const names = (await readdir(dir)).sort();
  return Promise.all(names.map(async (name) => ({ name, mail: await PostalMime.parse(await readFile(join(dir, name))) })));
}

it('a mail has the card, the link and the commands as plain text, and goes to each address by itself', async () => {
  await notifierTo('ana@bank.example', 'bob@bank.example').tell(aQuestion(), '## Card\n\n**bold** <b>x</b>', nothingDone());
  const all = await mails();
  const [{ mail }] = all as [Awaited<ReturnType<typeof mails>>[number]];
  expect(mail.subject).toBe('[holdfast] Waiting for approval: pay in turn inv-7, asked by rita');
  const addresses = all.flatMap((one) => one.mail.to!.map(({ address }) => address));
  expect(addresses.sort()).toEqual(['ana@bank.example', 'bob@bank.example']);
  expect(mail.from?.address).toBe('agents@bank.example');
  expect(mail.html).toBeUndefined();
  const text = mail.text!.replaceAll('\r\n', '\n');
  expect(text).toContain('https://temporal.bank.example/namespaces/prod/workflows/turn%2Finv-7\n');
  expect(text).toContain(`holdfast approve inv-7 --call ${'d'.repeat(64)} --by NAME\n`);
  expect(text).toContain('## Card\n\n**bold** <b>x</b>');
});

it('a mail that is sent again is the same message', async () => {
  const notifier = notifierTo('ana@bank.example');
  await notifier.tell(aQuestion(), null, nothingDone());
  await notifier.tell(aQuestion(), null, nothingDone());
  const ids = (await mails()).map(({ mail }) => mail.messageId);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^<msg_[0-9a-f]{32}@holdfast\.invalid>$/);
});

it('text that a stranger wrote adds no header and no invisible characters to a mail', async () => {
  const { turn } = aQuestion();
  const hostile = aQuestion({
    tool: 'pay\r\nBcc: eve@evil.example\r\n\r\nbody',
    turn: { ...turn, requester: 'rita\u202E\u0000\nSubject: all is well' },
  });
  await notifierTo('ana@bank.example').tell(hostile, 'a\u202Eb', nothingDone());
  const [{ mail }] = (await mails()) as [Awaited<ReturnType<typeof mails>>[number]];
  expect(mail.subject).toBe(
    '[holdfast] Waiting for approval: pay⟨U+000D⟩ Bcc: eve@evil.example⟨U+000D⟩ ⟨U+000D⟩ body in turn inv-7, asked by rita⟨U+202E⟩⟨U+0000⟩ Subject: all is well',
  );
  expect(mail.bcc).toBeUndefined();
  expect(mail.to?.map(({ address }) => address)).toEqual(['ana@bank.example']);
  expect(mail.text).toContain('a⟨U+202E⟩b');
});

it('an address that the server refuses does not count as reached, and is the only one that is tried again', async () => {
  const refused = 'nobody@bank.example';
  const server = await badSmtpServer({ rcptOf: (line) => (line.includes(refused) ? '550 5.1.1 no such user' : '250 ok') });
  try {
    const mail = mailTo(['ana@bank.example', refused], server.port);
    const notifier = createNotifier({ webhook: null, mail, ...WHERE })!;
    const done = new Set<string>();
    const delivery = { done, reached: (way: string) => void done.add(way) };
    for (const connections of [2, 3]) {
      const fault = /^Some notifications were not delivered\. mail to nobody@bank\.example: .*no such user/;
      await expect(notifier.tell(aQuestion(), null, delivery)).rejects.toThrow(fault);
      expect([[...done], server.seen.connections]).toEqual([['mail to ana@bank.example'], connections]);
    }
    expect(server.seen.message).toContain('To: ana@bank.example');
  } finally {
    await server.close();
  }
});

it('a server without TLS gets no password and no mail, unless the settings allow it', async () => {
  const server = await badSmtpServer({ ehlo: '250-test\r\n250 AUTH PLAIN' });
  try {
    const mail = { ...mailTo(['ana@bank.example'], server.port), user: 'u', pass: 'p' };
    const tell = (allowPlain: boolean) =>
      createNotifier({ webhook: null, mail: { ...mail, allowPlain }, ...WHERE })!.tell(aQuestion(), null, nothingDone());
    await expect(tell(false)).rejects.toThrow('HOLDFAST_SMTP_ALLOW_PLAIN');
    expect(server.seen.commands.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'STAR']);
    await tell(true);
    expect(server.seen.message).toContain('To: ana@bank.example');
  } finally {
    await server.close();
  }
});

it('a channel that fails does not stop the others; the next attempt leaves out the channels that got through', async () => {
  const hook = await receiver((nth, response) => void response.writeHead(nth === 1 ? 503 : 200).end());
  try {
    const webhook = { url: hook.url, secret: SECRET };
    const notifier = createNotifier({ webhook, mail: mailTo(['ana@bank.example']), ...WHERE })!;
    const done = new Set<string>();
    const delivery = { done, reached: (way: string) => void done.add(way) };
    await expect(notifier.tell(aQuestion(), null, delivery)).rejects.toThrow(
      /^Some notifications were not delivered\. webhook: /,
    );
    expect([...done]).toEqual(['mail to ana@bank.example']);
    await notifier.tell(aQuestion(), null, delivery);
    expect(hook.received).toHaveLength(2);
    expect(await mails()).toHaveLength(1);
  } finally {
    await hook.close();
  }
});

it('a mail server that is not there is an error without the password', async () => {
  const { port } = catcher;
  await catcher.close();
  const mail = { ...mailTo(['ana@bank.example'], port), user: 'u', pass: 's3cret-word' };
  const error = await createNotifier({ webhook: null, mail, ...WHERE })!
    .tell(aQuestion(), null, nothingDone())
    .catch((fault: Error) => fault);
  expect((error as Error).message).toMatch(/^Some notifications were not delivered\. mail to ana@bank\.example: .*ECONNREFUSED/);
  expect((error as Error).message).not.toContain('s3cret');
  catcher = await startMailCatcher({ dir });
});

it('without a channel there is no notifier', () => {
  expect(createNotifier({ webhook: null, mail: null, ...WHERE })).toBeNull();
});
