/** A server that starts slowly: how long a worker waits for it is a setting of the server. */
import { Connection, serverOf } from '../../../../src/mcp';
import { silent } from '../../../support/silent';

it('a program that does not answer is given up after connect_timeout_ms, and the error names that setting', async () => {
  const server = serverOf('deaf', {
    command: process.execPath,
    args: ['-e', 'process.stdin.resume()'],
    connect_timeout_ms: 300,
  });
  const connection = new Connection(server, { log: silent, loginFolder: 'unused' });
  try {
    await expect(connection.tools(true)).rejects.toThrow(/deaf cannot be reached: .*within 0.3 s; connect_timeout_ms/);
  } finally {
    await connection.close();
  }
});

/** Answers each page after 200 ms, and there is always a next one. */
const ENDLESS = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize')
    send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list') setTimeout(() => send({ tools: [], nextCursor: 'next' }), 200);
});`;

it('a list without end is given up after the time of one list, however many pages have come', async () => {
  const server = serverOf('endless', { command: process.execPath, args: ['-e', ENDLESS] });
  const connection = new Connection(server, { log: silent, loginFolder: 'unused', listMs: 1000 });
  try {
    await expect(connection.tools(true)).rejects.toThrow('timed out');
  } finally {
    await connection.close();
  }
});

it.each([50, 100_001, 1.5])('connect_timeout_ms %s is refused', (connect_timeout_ms) => {
  expect(() => serverOf('deaf', { command: 'x', connect_timeout_ms })).toThrow(/connect_timeout_ms/);
});
