import { requiresStartTls } from '../../../src/notify/smtp-tls';

it.each([
  [{ host: 'mail.bank.example' }, true],
  [{ host: 'mail.bank.example', user: 'ana' }, true],
  [{ host: '192.168.1.1' }, true],
  [{ host: '127.0.0.1.bank.example' }, true],
  [{ host: 'localhost', user: 'ana' }, true],
  [{ host: 'localhost' }, false],
  [{ host: '127.0.0.1' }, false],
  [{ host: '::1' }, false],
  [{ host: 'mail.bank.example', user: 'ana', secure: true }, false],
  [{ host: 'mail.bank.example', user: 'ana', allowPlain: true }, false],
])('mail to %j requires STARTTLS: %s', (server, expected) => {
  expect(requiresStartTls(server)).toBe(expected);
});
