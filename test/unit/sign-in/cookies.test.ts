import * as fc from 'fast-check';
import { Cookies } from '../../../src/sign-in/cookies';
import { mayRead, originFault } from '../../../src/sign-in/own-page';
import { openFlow, sealFlow, type OidcFlow } from '../../../src/sign-in/oidc-flow';

const id = 'A'.repeat(43);

describe('the cookie of a sign-in', () => {
  it.each([
    ['https://desk.example', `__Host-holdfast=${id}; Path=/; HttpOnly; SameSite=Strict; Secure`],
    ['https://desk.example/hf', `__Secure-holdfast=${id}; Path=/hf; HttpOnly; SameSite=Strict; Secure`],
    ['http://localhost:8480', `holdfast=${id}; Path=/; HttpOnly; SameSite=Strict`],
    ['http://127.0.0.1:8480/a/b/', `holdfast=${id}; Path=/a/b; HttpOnly; SameSite=Strict`],
  ])('of %s is as closed as browsers allow', (url, header) => {
    const cookies = new Cookies(url);
    expect(cookies.set('session', id)).toBe(header);
    expect(cookies.read(`a=b; ${header.split(';')[0]}; c=d`, 'session')).toBe(id);
    expect(cookies.remove('session')).toMatch(/^[\w-]+=; .*Max-Age=0$/);
  });

  it('that comes twice counts for nothing: another host may have set one of them', () => {
    const cookies = new Cookies('https://desk.example/hf');
    expect(cookies.read(`__Secure-holdfast=mine; __Secure-holdfast=theirs`, 'session')).toBeNull();
    expect(cookies.read(`__Secure-holdfast=; __Secure-holdfast=${id}`, 'session')).toBeNull();
  });

  it('is found by its whole name only, in any header', () => {
    const cookies = new Cookies('https://desk.example');
    for (const header of ['holdfast=x', 'x__Host-holdfast=x', '__Host-holdfastx=x', '__host-holdfast=x', '"__Host-holdfast"=x'])
      expect(cookies.read(header, 'session')).toBeNull();
    fc.assert(
      fc.property(fc.string(), (header) => {
        const value = cookies.read(header, 'session');
        expect(value === null || header.includes(`__Host-holdfast=`)).toBe(true);
      }),
    );
  });

  it('is found beside others of any length', () => {
    const cookies = new Cookies('http://localhost:8480');
    const spaces = ' '.repeat(16_000);
    expect(cookies.read(`a=${spaces}x;${spaces}holdfast=${id}${spaces}`, 'session')).toBe(id);
  });

  it('cannot carry more than its value, whatever the address of the page is', () => {
    expect(() => new Cookies('https://desk.example/a;Domain=bank.example')).toThrow(/must have no ";"/);
  });
});

describe('a request with a cookie', () => {
  const own = 'https://desk.example/hf';
  const fault = (headers: object) => originFault({ host: 'desk.example', ...headers }, own);

  it('changes something only if the browser says that our own page sent it', () => {
    expect(fault({ origin: 'https://desk.example' })).toBeNull();
    expect(fault({ origin: 'https://desk.example', 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(fault({ 'sec-fetch-site': 'same-origin' })).toBeNull();
    const others = [
      {},
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': ['same-origin', 'cross-site'] },
      { origin: 'https://desk.example', 'sec-fetch-site': 'cross-site' },
      ...['null', '', 'http://desk.example', 'https://desk.example.evil', 'https://evil.example', 'https://a.desk.example'],
      ...['https://desk.example:444', 'https://desk.example@evil.example', 'HTTPS://DESK.EXAMPLE', 'javascript:0', '%%%'],
    ].map((one) => (typeof one === 'string' ? { origin: one } : one));
    for (const headers of others) expect({ headers, fault: fault(headers) }).toEqual({ headers, fault: expect.any(String) });
  });

  it('on this machine may come under its other names, and from no other port', () => {
    const at = (origin: string, host: string) => originFault({ origin, host }, 'http://localhost:8480');
    expect(at('http://127.0.0.1:8480', '127.0.0.1:8480')).toBeNull();
    expect(at('http://localhost:51234', 'localhost:51234')).toBeNull();
    expect(at('http://localhost:3000', 'localhost:51234')).not.toBeNull();
    expect(at('http://evil.example', 'evil.example')).not.toBeNull();
  });

  it('reads nothing for a page of another site, nor of a sibling host', () => {
    const reads = [undefined, 'same-origin', 'none', 'same-site', 'cross-site', 'x', ['same-origin', 'none']].map((site) =>
      mayRead({ 'sec-fetch-site': site }),
    );
    expect(reads).toEqual([true, true, true, false, false, false, false]);
  });
});

describe('what a sign-in at the provider remembers', () => {
  const key = Buffer.alloc(32, 7);
  const flow: OidcFlow = { state: 's', nonce: 'n', verifier: 'v', replaces: null, expires: 2000 };
  const sealed = sealFlow(key, flow);

  it('comes back from the cookie until it expires', () => {
    expect(openFlow(key, sealed, 1999)).toEqual(flow);
    expect(openFlow(key, sealed, 2000)).toBeNull();
  });

  it('cannot be read, written, or changed in any byte, without the key of the store', () => {
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('verifier');
    expect(openFlow(Buffer.alloc(32, 8), sealed, 0)).toBeNull();
    const bytes = Buffer.from(sealed, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(openFlow(key, changed.toString('base64url'), 0)).toBeNull();
      expect(openFlow(key, bytes.subarray(0, at).toString('base64url'), 0)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => expect(openFlow(key, text, 0)).toBeNull()));
  });
});
