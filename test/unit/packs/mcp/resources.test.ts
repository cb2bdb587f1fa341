/** Resources and prompts of a server, as tools. */
import { Connection, serverOf } from '../../../../src/mcp';
import { resultData } from '../../../../src/mcp/result';
import { pdf, png } from '../../../support/files/samples';
import { silent } from '../../../support/silent';

/** Speaks as much of MCP as these tools need; it has a tool `get_prompt` of its own. */
const SERVER = `
const image = ${JSON.stringify(png().toString('base64'))};
const invoice = ${JSON.stringify(pdf().toString('base64'))};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'get_prompt', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'its own' }] }),
  'resources/list': ({ cursor }) => cursor ? { resources: [{ uri: 'b:2', name: 'two' }] } : { resources: [{ uri: 'a:1', name: 'one' }], nextCursor: 'x' },
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: image }, { uri, mimeType: 'application/pdf', blob: invoice }, { uri, mimeType: 'image/png', blob: invoice }, { uri, text: 'Read me.' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
});`;

const calling = { signal: new AbortController().signal, meta: {}, progress: () => undefined };

async function withServer(resources: boolean, body: (connection: Connection) => Promise<void>): Promise<void> {
  const server = serverOf('library', { command: process.execPath, args: ['-e', SERVER], resources });
  const connection = new Connection(server, { log: silent, loginFolder: 'unused' });
  try {
    await body(connection);
  } finally {
    await connection.close();
  }
}

it('are offered if the entry of the server says so; a tool of the server with such a name comes first', async () => {
  await withServer(false, async (connection) => {
    expect((await connection.tools(true)).map(({ name }) => name)).toEqual(['get_prompt']);
  });
  await withServer(true, async (connection) => {
    const names = (await connection.tools(true)).map(({ name }) => name);
    expect(names.sort()).toEqual(['get_prompt', 'list_prompts', 'list_resources', 'read_resource']);
    expect(await connection.call('get_prompt', {}, calling)).toEqual({ content: [{ type: 'text', text: 'its own' }] });
  });
});

it('are read page by page, and images and PDFs in them are shown to the model', () =>
  withServer(true, async (connection) => {
    await connection.tools(true);
    const list = await connection.call('list_resources', {}, calling);
    expect(list).toEqual({
      structuredContent: {
        resources: [
          { uri: 'a:1', name: 'one' },
          { uri: 'b:2', name: 'two' },
        ],
        templates: [],
      },
    });
    const data = resultData(await connection.call('read_resource', { uri: 'a:1' }, calling), (text) => text) as any;
    expect(data.content.map(({ file, text }: any) => text ?? [file.contentType, file.shown])).toEqual([
      ['image/png', true],
      ['application/pdf', true],
      // Not what the server says that it is: kept as a file, and not shown.
      ['image/png', false],
      'Read me.',
    ]);
    expect(await connection.call('list_prompts', {}, calling)).toEqual({ structuredContent: { prompts: [{ name: 'greet' }] } });
  }));
