import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverOf } from '../../../../src/mcp';
import { FileLogin } from '../../../../src/mcp/connection/file-login';
import { withOAuth } from '../../../../src/mcp/connection/oauth';
import type { ServerEntry } from '../../../../src/mcp/servers-file';
import { targetOf } from '../../../../src/mcp/target';
import type { JsonObject } from '../../../../src/shared/json/json';
import { withoutSecrets } from '../../../../src/shared/text/secrets';

const key = randomBytes(32);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-target-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const of = (entry: JsonObject, parts = { key, loginFolder: folder }, name = 'bank') => {
  const server = serverOf(name, entry as unknown as ServerEntry, {});
  return targetOf(name, { server, clean: (text) => withoutSecrets(text, server.secrets) }, parts);
};
const stdio = (more: object, ...rest: any[]) => of({ command: 'bank', ...more }, ...rest);
const http = (more: object, ...rest: any[]) => of({ url: 'https://bank.example/mcp', ...more }, ...rest);
const TOKEN = 's3cret-token';

describe('the target of a server’s tools', () => {
  it.each([
    ['the end of a long command', stdio({ args: ['x'.repeat(2000), 'DE-1'] }), stdio({ args: ['x'.repeat(2000), 'DE-2'] })],
    ['one argument or two', stdio({ args: ['a b'] }), stdio({ args: ['a', 'b'] })],
    ['the folder that it starts in', stdio({ cwd: '/srv/one' }), stdio({ cwd: '/srv/two' })],
    ['a variable', stdio({ env: { ACCOUNT: 'a' } }), stdio({ env: { ACCOUNT: 'b' } })],
    ['a variable that is a secret', stdio({ env: { TOKEN } }), stdio({ env: { TOKEN: 'another-secret' } })],
    ['which variable it is', stdio({ env: { PAYER: 'a' } }), stdio({ env: { PAYEE: 'a' } })],
    ['one of two hundred variables', stdio({ env: many('a') }), stdio({ env: many('b') })],
    ['a variable that is shown', stdio(shown('a')), stdio(shown('b'))],
    ['a header', http({ headers: { 'X-Account': 'a' } }), http({ headers: { 'X-Account': 'b' } })],
    ['the client', http({ oauth: client('one') }), http({ oauth: client('two') })],
  ])('differs if %s differs', (_what, one, other) => expect(one).not.toEqual(other));

  it.each([
    ['the order of variables', stdio({ env: { A: '1', B: '2' } }), stdio({ env: { B: '2', A: '1' } })],
    ['the case of a header’s name', http({ headers: { 'X-Account': 'a' } }), http({ headers: { 'x-account': 'a' } })],
    ['a token that is declared as replaced', stdio(ignored(TOKEN)), stdio(ignored('the-next-token'))],
    ['the client’s secret', http({ oauth: client('one', 'secret-of-may') }), http({ oauth: client('one', 'secret-of-june') })],
  ])('does not differ if %s differs', (_what, one, other) => expect(one).toEqual(other));

  it('is short, and shows no value of a variable or header, except those that the entry declares as shown', () => {
    const target = stdio({ args: ['y'.repeat(4000), TOKEN], env: { TOKEN, ...many('a') }, cwd: 'z'.repeat(4096) });
    expect(JSON.stringify(target).length).toBeLessThan(4000);
    expect(JSON.stringify(target)).not.toContain(TOKEN);
    expect(http({ headers: { Authorization: `Bearer ${TOKEN}`, pin: '1234' } })).toEqual({
      server: 'bank',
      url: 'https://bank.example/mcp',
      headers: { authorization: expect.stringMatching(/^digest [0-9a-f]{32}$/), pin: expect.stringMatching(/^digest/) },
    });
    expect(stdio({ env: { ACCOUNT: 'DE-12345678', TOKEN }, target: { ACCOUNT: 'shown', TOKEN: 'ignored' } })).toEqual({
      server: 'bank',
      command: 'bank',
      env: { ACCOUNT: 'DE-12345678', TOKEN: 'not compared' },
    });
    expect(http({})).toEqual({ server: 'bank', url: 'https://bank.example/mcp' });
  });

  it('does not reveal a short value to somebody who tries them all: the digest uses a key of the store and the name of the server', () => {
    const pin = (store: Buffer, name?: string) => stdio({ env: { PIN: '1234' } }, { key: store, loginFolder: folder }, name).env;
    expect(pin(key)).toEqual(pin(key));
    expect(pin(key)).not.toEqual(pin(randomBytes(32)));
    expect(pin(key)).not.toEqual(pin(key, 'other'));
  });

  it('differs after a new login of a person, and is the same after a token was refreshed', async () => {
    const oauth = { issuer: 'https://login.example' };
    const server = serverOf('bank', { url: 'https://bank.example/mcp', oauth });
    if (!withOAuth(server)) throw new Error('it has no oauth');
    const login = new FileLogin(server, folder, { redirectUrl: 'http://127.0.0.1/', state: 's', open: () => undefined });
    const tokens = (access_token: string) => login.saveTokens({ access_token, token_type: 'bearer' });
    expect(http({ oauth }).oauth).toEqual({ issuer: oauth.issuer, login: null });
    await login.forget();
    await tokens('one');
    const first = http({ oauth });
    await tokens('two');
    expect(http({ oauth })).toEqual(first);
    await login.forget();
    expect(http({ oauth })).not.toEqual(first);
  });
});

describe('target of a server’s entry', () => {
  it('names variables or headers of the entry, each as shown or ignored', () => {
    expect(() => stdio({ env: { A: '1' }, target: { B: 'shown' } })).toThrow(/target names B, which is neither in env nor/);
    expect(() => stdio({ env: { A: '1' }, target: { A: 'hidden' } })).toThrow(/target.A/);
    expect(http({ headers: { 'X-Account': 'DE-1' }, target: { 'x-account': 'shown' } }).headers).toEqual({ 'x-account': 'DE-1' });
  });

  it('makes a shown value, and no other, count as no secret', () => {
    const { secrets } = serverOf('bank', {
      command: 'bank',
      env: { account: 'DE-12345678', ACCOUNT: TOKEN },
      target: { account: 'shown' },
    });
    expect(secrets).toEqual([TOKEN]);
  });
});

function many(value: string) {
  return Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`VARIABLE_${index}`, index === 150 ? value : 'x']));
}

function shown(ACCOUNT: string) {
  return { env: { ACCOUNT }, target: { ACCOUNT: 'shown' } };
}

function ignored(value: string) {
  return { env: { TOKEN: value }, target: { TOKEN: 'ignored' } };
}

function client(client_id: string, client_secret?: string) {
  return { issuer: 'https://login.example', client_id, ...(client_secret === undefined ? {} : { client_secret }) };
}
