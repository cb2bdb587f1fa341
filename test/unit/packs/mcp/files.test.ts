/** The file of servers, and the file of accepted classes. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  acceptedClass,
  acceptedPath,
  classOf,
  proposedClass,
  readAcceptedTools,
  readServers,
  serverOf,
  toolName,
  writeAcceptedTools,
} from '../../../../src/mcp';
import { boundedFetch } from '../../../../src/mcp/connection/bounded-fetch';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-files-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('names', () => {
  it.each([
    ['files', 'read_file', 'files__read_file'],
    ['files', 'get-sum', 'files__get-sum'],
  ])('%s %s stays as it is: %s', (server, tool, name) => expect(toolName(server, tool)).toBe(name));

  it('fit the model API, and two tools never get one name', () => {
    const odd = ['a.b', 'a_b', 'a/b', 'a b', '', 'ä', 'x'.repeat(200), `${'x'.repeat(199)}y`, '__proto__', '☃'];
    const names = odd.map((tool) => toolName('a-long_server-name', tool));
    for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    expect(new Set(names).size).toBe(odd.length);
  });
});

describe('classes', () => {
  it.each([
    [{ readOnlyHint: true }, 'read'],
    [{ readOnlyHint: false, destructiveHint: false, idempotentHint: true }, 'write'],
    [{ destructiveHint: false }, 'destructive'],
    [{ readOnlyHint: true, destructiveHint: true }, 'destructive'],
    [{ readOnlyHint: 'yes' }, 'destructive'],
    [undefined, 'destructive'],
    ['nonsense', 'destructive'],
  ])('for the hints %j the class %s is proposed', (hints, proposed) => expect(proposedClass(hints as never)).toBe(proposed));

  it.each([
    [null, { readOnlyHint: true }, 'destructive'],
    ['read', {}, 'read'],
    ['read', { readOnlyHint: false }, 'write'],
    ['read', { destructiveHint: true }, 'destructive'],
    ['destructive', { readOnlyHint: true }, 'destructive'],
  ] as const)('accepted %s under the hints %j counts as %s', (accepted, hints, counts) =>
    expect(classOf(accepted, hints)).toBe(counts),
  );
});

describe("the servers' file", () => {
  const file = (content: unknown) => {
    const path = join(folder, 'mcp.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  it('replaces variables, from the environment or from files, and knows which of them are secrets', () => {
    writeFileSync(join(folder, 'token'), 'out-of-a-file\n');
    const path = file({
      mcpServers: {
        files: { command: 'serve', args: ['${ROOT:-/data}'], env: { KEY: '${FILES_KEY}' } },
        web: { type: 'streamable-http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${WEB}' } },
      },
    });
    const [files, web] = readServers(path, { FILES_KEY: 'a-secret-key', HOST: 'mcp.example', WEB_FILE: join(folder, 'token') });
    expect(files).toMatchObject({ transport: 'stdio', args: ['/data'], env: { KEY: 'a-secret-key' }, secrets: ['a-secret-key'] });
    expect(web).toMatchObject({
      transport: 'http',
      url: 'https://mcp.example/mcp',
      headers: { Authorization: 'Bearer out-of-a-file' },
    });
    expect(web!.secrets).toContain('out-of-a-file');
  });

  it.each([
    ['{', /no JSON/],
    [{}, /another form/],
    [{ mcpServers: { Bad: { command: 'x' } } }, /Bad: a name must be/],
    [{ mcpServers: { a__b: { command: 'x' } } }, /a name must be/],
    [{ mcpServers: { a: {} } }, /it needs command, or url/],
    [{ mcpServers: { a: { command: 'x', comand: 1 } } }, /comand/],
    [{ mcpServers: { a: { url: 'ftp://x' } } }, /http or https/],
    [{ mcpServers: { a: { url: 'https://u:p@x' } } }, /password/],
    [{ mcpServers: { a: { url: 'http://mcp.example', headers: { K: 'long-enough-secret' } } } }, /https only/],
    [{ mcpServers: { a: { command: '${NOT_SET}' } } }, /NOT_SET is not set/],
    [{ mcpServers: { a: { url: 'https://x', headers: { Authorization: 'b' }, oauth: { issuer: 'https://y' } } } }, /keep one/],
    [
      { mcpServers: { a: { url: 'https://x', oauth: { issuer: 'https://y', grant: 'client_credentials' } } } },
      /needs oauth.client_secret/,
    ],
  ])('%j is refused, with what to do', (content, message) => expect(() => readServers(file(content), {})).toThrow(message));

  it('shows no secret in its faults', () => {
    const entry = { url: 'http://mcp.example', headers: { K: '${SECRET}' } };
    expect(() => serverOf('a', entry, { SECRET: 'never-to-be-shown' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('never') }),
    );
  });
});

describe('the accepted classes', () => {
  const hash = 'a'.repeat(64);
  const entry = { class: 'read', hash, by: 'ana', at: '2026-01-01T00:00:00Z' } as const;
  const path = () => acceptedPath(join(folder, 'mcp.json'));

  it('count only for exactly the definition that a person looked at', async () => {
    await writeAcceptedTools(path(), { files: { look: entry } });
    const accepted = await readAcceptedTools(path());
    expect(acceptedClass(accepted, 'files', { name: 'look', hash, definition: {} })).toBe('read');
    expect(acceptedClass(accepted, 'files', { name: 'look', hash: 'b'.repeat(64), definition: {} })).toBeNull();
    expect(acceptedClass(accepted, 'other', { name: 'look', hash, definition: {} })).toBeNull();
    expect(acceptedClass(accepted, '__proto__', { name: 'toString', hash, definition: {} })).toBeNull();
    expect(statSync(path()).mode & 0o077).toBe(0);
  });

  it.each(['{', '{}', '{"v":"holdfast.mcp_accepted/1","servers":{"a":{"b":{"class":"compute"}}}}'])(
    'are refused when they are %s',
    async (text) => {
      writeFileSync(path(), text);
      await expect(readAcceptedTools(path())).rejects.toThrow(/Fix the file, or remove it/);
    },
  );
});

describe('an unknown field in the accepted classes', () => {
  const look = { class: 'read', hash: 'a'.repeat(64), by: 'ana', at: '2026-01-01T00:00:00Z' };

  it.each<[string, object, string]>([
    ['the file', { trusted_error: {} }, 'trusted_error is no field; did you mean trusted_errors?'],
    [
      'a tool',
      { servers: { files: { look: { ...look, clas: 'read' } } } },
      'servers.files.look.clas is no field; did you mean class?',
    ],
    [
      'an answer',
      { trusted_errors: { files: { '-32602': { by: 'ana', at: 'x', until: 'y' } } } },
      'trusted_errors.files.-32602.until is no field; the fields are by, at',
    ],
  ])('of %s is named, with the nearest right name', async (_, more, fault) => {
    const path = acceptedPath(join(folder, 'mcp.json'));
    writeFileSync(path, JSON.stringify({ v: 'holdfast.mcp_accepted/1', servers: {}, ...more }));
    await expect(readAcceptedTools(path)).rejects.toThrow(fault);
  });
});

describe('requests to a server', () => {
  const answers =
    (body: string, type = 'application/json') =>
    async () =>
      new Response(body, { headers: { 'content-type': type } });

  it('go to the hosts of its configuration only', async () => {
    const fetched = boundedFetch(['https://mcp.example/mcp', 'https://login.example'], 100, answers('{}'));
    expect(await (await fetched('https://mcp.example/other')).text()).toBe('{}');
    expect(await (await fetched('https://login.example/token')).text()).toBe('{}');
    await expect(fetched('http://169.254.169.254/latest')).rejects.toThrow(/does not name/);
    await expect(fetched('http://mcp.example/mcp')).rejects.toThrow(/does not name/);
  });

  it('end with an answer that is too large; of a stream each event counts by itself', async () => {
    const origin = ['https://mcp.example'];
    await expect((await boundedFetch(origin, 100, answers('x'.repeat(101)))('https://mcp.example')).text()).rejects.toThrow(
      /larger/,
    );
    const events = `data: ${'x'.repeat(60)}\r\n\r\n`.repeat(50);
    expect(await (await boundedFetch(origin, 100, answers(events, 'text/event-stream'))('https://mcp.example')).text()).toBe(
      events,
    );
    const long = 'data: x\n'.repeat(50);
    await expect(
      (await boundedFetch(origin, 100, answers(long, 'text/event-stream'))('https://mcp.example')).text(),
    ).rejects.toThrow(/larger/);
  });

  it.each([300, 301, 302, 303, 307, 308])(
    'pass on a redirect (%i) without its address and its body, which is not read',
    async (status) => {
      let isCancelled = false;
      const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
      const redirect = async () => new Response(body, { status, headers: { location: '/other?key=x' } });
      const answer = await boundedFetch(['https://mcp.example'], 100, redirect)('https://mcp.example/mcp');
      expect([answer.status, answer.headers.get('location'), isCancelled]).toEqual([status, null, true]);
      expect(await answer.text()).toContain('It redirects to https://mcp.example/other, and no redirect is followed.');
    },
  );

  it('pass on an answer without a body, such as 304', async () => {
    const answer = await boundedFetch(
      ['https://mcp.example'],
      100,
      async () => new Response(null, { status: 304 }),
    )('https://mcp.example/mcp');
    expect([answer.status, answer.body]).toEqual([304, null]);
  });
});
