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

it.each([50, 100_001, 1.5])('connect_timeout_ms %s is refused', (connect_timeout_ms) => {
  expect(() => serverOf('deaf', { command: 'x', connect_timeout_ms })).toThrow(/connect_timeout_ms/);
});
