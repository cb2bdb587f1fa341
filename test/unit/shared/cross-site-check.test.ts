import { isLoopbackHost, siteFault } from '../../../src/shared/wire/cross-site-check';

describe('pages of other sites', () => {
  const own = { publicUrl: 'https://agents.example/base', origins: ['https://app.example'], localPages: true };
  const listed = { hosts: ['agents.example', 'gateway'] };
  it.each([
    ['no Origin, own name', { host: 'agents.example' }, '10.0.0.5', own, null],
    ['own origin', { host: 'agents.example', origin: 'https://agents.example' }, '10.0.0.5', own, null],
    ['own origin, under the proxy’s Host', { host: 'gateway:8480', origin: 'https://agents.example' }, '10.0.0.5', own, null],
    ['an allowed origin', { host: 'x', origin: 'https://app.example' }, '10.0.0.5', own, null],
    ['loopback', { host: 'localhost:8480', origin: 'http://localhost:6274' }, '127.0.0.1', own, null],
    ['loopback, IPv6', { host: '[::1]:8480' }, '::1', own, null],
    ['loopback, mapped', { host: '127.0.0.1:8480' }, '::ffff:127.0.0.1', own, null],
    ['loopback, in capitals', { host: 'LOCALHOST:8480' }, '127.0.0.1', own, null],
    ['the address itself', { host: '127.5.6.7:8480' }, '127.5.6.7', {}, null],
    ['its own page', { host: 'localhost:8233', origin: 'http://localhost:8233' }, '127.0.0.1', {}, null],
    ['its own page, on the usual port', { host: 'ui.example', origin: 'https://ui.example' }, '10.0.0.5', {}, null],
    ['a proxy of this machine', { host: 'agents.example' }, '127.0.0.1', own, null],
    ['a container’s name, none being listed', { host: 'gateway:8480' }, '172.18.0.4', own, null],
    ['a listed name', { host: 'gateway:8480' }, '172.18.0.4', listed, null],
    ['a probe by address', { host: '172.18.0.4:8480' }, '172.18.0.4', listed, null],
    ['a health check inside the container', { host: '127.0.0.1:8480' }, '127.0.0.1', listed, null],
    ['a name that was pointed here', { host: 'evil.example' }, '127.0.0.1', own, 'Host'],
    ['the same, with its page', { host: 'evil.example:80', origin: 'http://evil.example:80' }, '127.0.0.1', own, 'Host'],
    ['a name that is none of the listed', { host: 'evil.example' }, '172.18.0.4', listed, 'Host'],
    ['a name that looks like loopback', { host: 'localhost.evil.example' }, '127.0.0.1', own, 'Host'],
    ['credentials in the host', { host: 'localhost@evil.example' }, '::1', own, 'Host'],
    ['credentials before the host', { host: 'evil.example@localhost' }, '::1', own, 'Host'],
    ['two hosts', { host: 'localhost, evil.example' }, '127.0.0.1', own, 'Host'],
    ['no host', {}, '127.0.0.1', own, 'Host'],
    ['another origin', { host: 'agents.example', origin: 'https://evil.example' }, '10.0.0.5', own, 'Origin'],
    ['an origin without a name', { host: 'agents.example', origin: 'null' }, '127.0.0.1', own, 'Origin'],
    ['an extension of the browser', { host: 'localhost', origin: 'chrome-extension://localhost' }, '127.0.0.1', own, 'Origin'],
    ['an origin that begins alike', { host: 'x', origin: 'https://agents.example.evil.example' }, '10.0.0.5', own, 'Origin'],
    ['a local page, from afar', { host: 'agents.example', origin: 'http://localhost:3000' }, '10.0.0.5', own, 'Origin'],
    ['a page of another local port', { host: 'localhost:8233', origin: 'http://localhost:3000' }, '127.0.0.1', {}, 'Origin'],
  ])('%s', (_what, headers, address, site, header) => {
    const fault = siteFault(headers, address, site);
    if (header === null) expect(fault).toBeNull();
    else expect(fault).toMatch(new RegExp(`^The header ${header} is "`));
  });
});

it('a host is loopback only if it is so literally', () => {
  const own = ['localhost', 'LocalHost', '127.0.0.1', '127.8.19.255', '::1', '[::1]'];
  const others = [
    ...[
      'localhost.bank.example',
      'my-localhost',
      '127.0.0.1.nip.io',
      '127.1',
      '127.0.0.256',
      '127.0.0.1.',
      '1127.0.0.1',
      '0.0.0.0',
    ],
    ...['::', '[::]', '[::1', '::1]', '::ffff:127.0.0.1', '127.0.0.1:25', 'localhost:25', '', '\n127.0.0.1', '127.0.0.1\n'],
  ];
  expect([...own, ...others].filter(isLoopbackHost)).toEqual(own);
});
