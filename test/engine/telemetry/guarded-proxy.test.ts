import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { withDevApprovals } from '../../../src/cli/support/dev-approvals';
import { loadConfig } from '../../../src/config';
import { secretAddress, startGuardedProxy, type GuardedProxy } from '../../../src/telemetry/guarded-proxy';
import { eventually } from '../support/engine';

describe('the proxy in front of servers that have no check of their own', () => {
  let behind: Server;
  let proxy: GuardedProxy;
  const asked: string[] = [];
  beforeEach(async () => {
    asked.length = 0;
    behind = createServer({ maxHeaderSize: 2_000_000 }, (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.host}`);
      if (request.url === '/slow') return void response.on('close', () => asked.push('gone')).write('begun,');
      if (request.url === '/cut') return void response.write('begun,', () => response.destroy());
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      request.pipe(response);
    });
    const own = await secretAddress();
    await new Promise<void>((resolve) => behind.listen(own.port, own.host, resolve));
    proxy = await startGuardedProxy({ host: '127.0.0.1', port: 0 }, own);
  });
  afterEach(async () => {
    await proxy.close();
    behind.closeAllConnections();
    await new Promise((resolve) => behind.close(resolve));
  });
  const url = (path: string) => `http://127.0.0.1:${proxy.port}${path}`;
  /** Bytes as they are. @returns all that comes back */
  const raw = (bytes: string) =>
    new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(proxy.port, '127.0.0.1', () => socket.end(bytes));
      socket.on('data', (piece) => (text += piece.toString()));
      socket.on('close', () => resolve(text));
    });

  it('passes on requests and answers as they are, with Host, body and cookies', async () => {
    const answer = await fetch(url('/a?b=%20c'), { method: 'POST', body: 'x'.repeat(200_000) });
    expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([
      200,
      'x'.repeat(200_000),
      ['a=1', 'b=2'],
    ]);
    expect(asked).toEqual([`POST /a?b=%20c 127.0.0.1:${proxy.port}`]);
  });

  it('passes on addresses as long as Temporal’s Web UI takes them: it sends a whole card in one', async () => {
    const path = `/render?content=${'x'.repeat(1_000_000)}`;
    expect((await fetch(url(path))).status).toBe(200);
    expect(asked.map((one) => one.length)).toEqual([`GET ${path} 127.0.0.1:${proxy.port}`.length]);
    expect((await fetch(url(`${path}${'x'.repeat(100_000)}`))).status).toBe(431);
  });

  it('passes on an answer while it comes, and ends it when the client is gone', async () => {
    const stop = new AbortController();
    const answer = await fetch(url('/slow'), { signal: stop.signal });
    const { value } = await answer.body!.getReader().read();
    expect(Buffer.from(value!).toString()).toBe('begun,');
    stop.abort();
    await eventually('whoever asked is gone', async () => asked.includes('gone'));
    await expect(fetch(url('/cut')).then((cut) => cut.text())).rejects.toThrow();
  });

  it('lets no second request through inside the body of a first one', async () => {
    const inner = 'POST /inner HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0\r\n\r\n';
    const head = 'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n';
    await raw(`${head}transfer-encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`);
    await raw(`${head}content-length: ${inner.length}\r\n\r\n${inner}`);
    await raw(`${head}content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`);
    expect(await raw(`${head}\r\n${inner}`)).not.toContain('evil');
    expect(new Set(asked)).toEqual(new Set(['GET / localhost']));
  });

  it('refuses names that are not its own, none, two, and addresses of other hosts', async () => {
    const status = async (line: string, ...headers: string[]) =>
      (await raw([line, ...headers, '', ''].join('\r\n'))).slice(9, 12);
    expect(await status('GET / HTTP/1.1', 'host: evil.example')).toBe('403');
    expect(await status('GET / HTTP/1.0')).toBe('403');
    expect(await status('GET / HTTP/1.1')).toBe('400');
    expect(await status('GET http://evil.example/ HTTP/1.1', 'host: localhost')).toBe('400');
    expect(await status('GET / HTTP/1.1', 'host: evil.example', 'host: localhost')).toBe('403');
    expect(asked).toEqual([]);
    await status('GET / HTTP/1.1', 'host: localhost', 'host: evil.example', 'connection: close');
    expect(asked).toEqual(['GET / localhost']);
  });

  it('says so when there is no server behind it', async () => {
    await new Promise((resolve) => behind.close(resolve));
    expect((await fetch(url('/'))).status).toBe(502);
    behind.listen();
  });
});

describe('an address that no page finds', () => {
  it('is another one each time, of the 16 million addresses of this machine', async () => {
    const hosts = await Promise.all(Array.from({ length: 20 }, async () => (await secretAddress()).host));
    expect(new Set(hosts).size).toBe(20);
    for (const host of hosts) expect(host).toMatch(/^127\.(?!0\.0\.1$)/);
  });

  it('does not exist where the system has one loopback address: then only signed decisions count beside the embedded server', async () => {
    const documentation = () => '192.0.2.1'; // no machine has this address
    const place = await secretAddress(documentation);
    expect(place).toMatchObject({ host: '127.0.0.1', secret: false });
    const [one, many] = [async () => place, async () => ({ ...place, secret: true })];
    const said: string[] = [];
    const approvals = async (env: object, headless: boolean, look: () => Promise<typeof place>) =>
      (await withDevApprovals(loadConfig({ ...env }), headless, (line) => said.push(line), look)).approvals;
    expect(await approvals({}, false, one)).toBe('attested');
    expect(said).toEqual([expect.stringContaining('only signed decisions count')]);
    expect(await approvals({ HOLDFAST_APPROVALS: 'any' }, false, one)).toBe('any');
    expect(await approvals({}, true, one)).toBeUndefined();
    expect(await approvals({}, false, many)).toBeUndefined();
    expect(said).toHaveLength(1);
  });
});
