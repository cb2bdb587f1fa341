import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { startMailCatcher, type MailCatcher } from '../../../../src/devserver/mail-catcher';
import { SmtpMailer, type SmtpSettings } from '../../../../packs/finance/src';
import { badSmtpServer, type Script } from './bad-smtp-server';
import { call, context, toolErrorOf, toolNamed } from '../../../support/packs/finance/support';

const memo = {
  recipient: 'credit@example.com',
  subject: 'Credit memo: Müller & Söhne',
  body_md: `# Memo\n\n${'A line of text with ümlauts – and dashes.\n'.repeat(5)}\n.\nA line after a lonely dot.\n`,
};
const mailerAt = (port: number, more: Partial<SmtpSettings> = {}) =>
  new SmtpMailer({ host: '127.0.0.1', port, from: 'agent@example.com', timeoutMs: 10_000, answerTimeoutMs: 10_000, ...more });

/** Sends the memo to a server that misbehaves, and tells how it ended and what the server saw. */
async function sendTo(script: Script, settings: Partial<SmtpSettings> = {}, signal?: AbortSignal) {
  const server = await badSmtpServer(script);
  try {
    const error = await toolErrorOf(
      call('send_credit_memo', memo, mailerAt(server.port, settings), context(signal ? { signal } : {})),
    );
    return { error, seen: server.seen };
  } finally {
    await server.close();
  }
}

describe('send_credit_memo over real SMTP', () => {
  let dir: string;
  let catcher: MailCatcher;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'holdfast-mail-'));
    catcher = await startMailCatcher({ dir });
  });
  afterAll(async () => {
    await catcher.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('delivers exactly what was shown, under a Message-ID that follows from the idempotency key', async () => {
    const mailer = mailerAt(catcher.port);
    const result = await call('send_credit_memo', memo, mailer, context({ idempotencyKey: 'hf_0123' }));
    expect(result).toMatchObject({ message_id: '<hf_0123@holdfast.invalid>', accepted: ['credit@example.com'] });
    expect(result.response).toMatch(/^250/);
    expect(new Date(result.sent_at).toISOString()).toBe(result.sent_at);

    const mail = await PostalMime.parse(await readFile(join(dir, 'hf_0123@holdfast.invalid.eml')));
    expect(mail).toMatchObject({
      subject: memo.subject,
      messageId: '<hf_0123@holdfast.invalid>',
      from: { address: 'agent@example.com' },
    });
    expect(mail.to?.map((to) => to.address)).toEqual([memo.recipient]);
    expect(mail.text?.replaceAll('\r\n', '\n').trim()).toBe(memo.body_md.trim());
    expect(mail.headers.find((header) => header.key === 'x-holdfast-idempotency-key')?.value).toBe('hf_0123');
    expect(await readdir(dir)).toEqual(['hf_0123@holdfast.invalid.eml']);
  });

  it('takes a sender with a name', async () => {
    const mailer = mailerAt(catcher.port, { from: 'Credit Desk <agent@example.com>' });
    await call('send_credit_memo', memo, mailer, context({ idempotencyKey: 'hf_named' }));
    const mail = await PostalMime.parse(await readFile(join(dir, 'hf_named@holdfast.invalid.eml')));
    expect(mail.from).toMatchObject({ name: 'Credit Desk', address: 'agent@example.com' });
  });

  it('shows the person who decides the sender, the recipient, the subject and the whole body', async () => {
    const preview = await toolNamed('send_credit_memo', mailerAt(1)).preview!(memo, context());
    for (const part of ['agent@example.com', memo.recipient, memo.subject, String(memo.body_md.length)])
      expect(preview).toContain(part);
  });
});

describe('a refusal before acceptance proves that nothing was sent', () => {
  it.each<[string, Script, string, string]>([
    ['550 to the recipient', { rcpt: '550 5.1.1 no such user' }, 'EXECUTION_ERROR', 'recipient_refused'],
    ['451 to the recipient', { rcpt: '451 4.3.0 try later' }, 'NETWORK_ERROR', 'smtp_temporary_refusal'],
    ['450 greylisting', { rcpt: '450 4.2.0 greylisted' }, 'RATE_LIMITED', 'smtp_busy'],
    ['553 to the sender', { mail: '553 no' }, 'EXECUTION_ERROR', 'message_refused'],
    ['554 to DATA', { data: '554 no' }, 'EXECUTION_ERROR', 'message_refused'],
    ['554 to the message', { dot: '554 5.7.1 spam' }, 'EXECUTION_ERROR', 'message_refused'],
    ['451 to the message', { dot: '451 4.3.0 disk full' }, 'NETWORK_ERROR', 'smtp_temporary_refusal'],
    ['452 to the message', { dot: '452 4.3.1 no space' }, 'RATE_LIMITED', 'smtp_busy'],
    [
      '554 to the message, in two lines',
      { dot: '554-5.7.1 spam\r\n554 5.7.1 see our rules' },
      'EXECUTION_ERROR',
      'message_refused',
    ],
    ['421 to the recipient', { rcpt: '421 4.3.2 closing' }, 'RATE_LIMITED', 'smtp_busy'],
    ['a refused greeting', { greeting: '554 go away' }, 'EXECUTION_ERROR', 'message_refused'],
    ['a drop before the greeting', { greeting: 'drop' }, 'NETWORK_ERROR', 'smtp_unreachable'],
    ['a refused EHLO', { ehlo: '502 no' }, 'EXECUTION_ERROR', 'message_refused'],
    ['a drop at the recipient', { rcpt: 'drop' }, 'NETWORK_ERROR', 'smtp_unreachable'],
  ])('%s', async (_what, script, code, reason) => {
    const { error, seen } = await sendTo(script);
    expect(error.detail).toMatchObject({ code, reason });
    expect(error.nothingHappened).toBe(true);
    expect(seen.connections).toBe(1);
  });

  it('wrong credentials', async () => {
    const script = { ehlo: '250-test\r\n250 AUTH PLAIN', auth: '535 5.7.8 no' };
    const { error, seen } = await sendTo(script, { user: 'u', pass: 'p', allowPlain: true });
    expect(error.detail).toMatchObject({ code: 'UNAUTHORIZED', reason: 'smtp_auth_failed' });
    expect(error.nothingHappened).toBe(true);
    expect(seen.commands.some((line) => line.startsWith('MAIL'))).toBe(false);
  });

  it('no TLS for a login: neither password nor mail goes out', async () => {
    const { error, seen } = await sendTo({ ehlo: '250-test\r\n250 AUTH PLAIN' }, { user: 'u', pass: 'p' });
    expect(error.detail).toMatchObject({ code: 'EXECUTION_ERROR', reason: 'smtp_no_tls' });
    expect(error.nothingHappened).toBe(true);
    expect(seen.commands.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'STAR']);
  });

  it('nobody listens, or there is no such host', async () => {
    const server = await badSmtpServer({});
    await server.close();
    for (const mailer of [mailerAt(server.port), mailerAt(25, { host: 'mail.holdfast.invalid' })]) {
      const error = await toolErrorOf(call('send_credit_memo', memo, mailer));
      expect(error.detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'smtp_unreachable' });
      expect(error.nothingHappened).toBe(true);
    }
  });

  it('cancelled before the conversation began', async () => {
    const { error, seen } = await sendTo({}, {}, AbortSignal.abort());
    expect(error).toMatchObject({ nothingHappened: true, detail: { reason: 'send_aborted' } });
    expect(seen.connections).toBe(0);
  });
});

it('a call whose time is over when the server asks for the message does not send it', async () => {
  const abort = new AbortController();
  // As the runner's signal: who asks it learns that a standstill has lasted too long, before any timer.
  let asked = 0;
  Object.defineProperty(abort.signal, 'aborted', {
    get() {
      asked += 1;
      if (asked === 2) abort.abort();
      return asked >= 2;
    },
  });
  const { error, seen } = await sendTo({}, {}, abort.signal);
  expect(error).toMatchObject({ nothingHappened: true, detail: { reason: 'send_aborted' } });
  expect([seen.connections, seen.message]).toEqual([1, '']);
});

it('nothing is sent to a recipient that is refused, also if the server takes commands ahead and asks for the message all the same', async () => {
  const { error, seen } = await sendTo({ ehlo: '250-test\r\n250 PIPELINING', rcpt: '550 5.1.1 no such user', data: '354 go on' });
  expect(error).toMatchObject({ nothingHappened: true, detail: { reason: 'recipient_refused' } });
  expect(seen.message).not.toContain('Memo');
});

describe('silence after the hand-over proves nothing, and is never reported as "nothing happened"', () => {
  it.each<[string, Script, Partial<SmtpSettings>?]>([
    ['the connection drops after the message', { dot: 'drop' }],
    ['the server never answers', { dot: 'hang' }, { answerTimeoutMs: 1_000 }],
    ['the answer breaks off', { cut: '250 que' }],
    ['a refusal breaks off within its line', { cut: '554 5.7.1 sp' }],
    ['a refusal breaks off between its lines', { cut: '554-5.7.1 spam\r\n' }],
    ['the server says that it closes: it may say so at any time, and not of this message', { dot: '421 4.3.2 closing' }],
    ['the answer is no SMTP', { dot: 'hello' }],
  ])('a mail is in doubt where %s', async (_what, script, settings = {}) => {
    const { error, seen } = await sendTo(script, settings);
    expect(error.detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'no_answer_after_data' });
    expect(error.nothingHappened).toBe(false);
    expect(seen.message).toContain('Subject:');
    expect(seen.connections).toBe(1);
  });

  it('a cancellation while the server is silent closes the connection at once', async () => {
    const abort = new AbortController();
    const script: Script = { dot: 'hang', onMessage: () => abort.abort() };
    const { error } = await sendTo(script, {}, abort.signal);
    expect(error).toMatchObject({ nothingHappened: false, detail: { reason: 'send_aborted' } });
  });
});

describe('what send_credit_memo refuses before anybody is asked', () => {
  it.each([
    { ...memo, recipient: 'not an address' },
    { ...memo, recipient: 'a@example.com, b@example.com' },
    { ...memo, recipient: 'a@example.com\r\nBcc: b@example.com' },
    { ...memo, subject: 'Hi' },
    { ...memo, body_md: 'too short' },
    { ...memo, body_md: 'x'.repeat(20_001) },
    { ...memo, confirmed: true },
  ])('does not fit the schema (case %#)', async (input) => {
    await expect(call('send_credit_memo', input)).rejects.toThrow('schema');
  });

  it('a subject that would write a header of its own', () => {
    const check = toolNamed('send_credit_memo').check!;
    for (const end of ['\r\nBcc: eve@example.com', '\nX: y', '\u2028x', '\0']) {
      expect(check({ ...memo, subject: `Credit memo${end}` })).toMatchObject({ reason: 'header_injection' });
    }
    expect(check(memo)).toBeUndefined();
  });
});
