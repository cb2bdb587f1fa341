/** What a closed connection does with calls that the SDK is about to try again. */
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectTemporal } from '../../../src/temporal/connect';

const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;

let server: Http2Server;
let refused = 0;

beforeAll(async () => {
  server = createServer().on('stream', (stream, headers) => {
    const isSystemInfo = headers[':path']?.endsWith('/GetSystemInfo');
    if (!isSystemInfo) refused++;
    const status = isSystemInfo ? UNIMPLEMENTED : UNAVAILABLE;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

test('a call that waits for its next try fails when the connection is closed, and nothing is thrown outside of it', async () => {
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await connectTemporal({ address, connectionOptions: { address } } as Parameters<typeof connectTemporal>[0]);
  const call = connection.workflowService.describeNamespace({ namespace: 'default' }).catch((error: unknown) => error);
  while (refused === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await connection.close();
  expect(await call).toMatchObject({ code: 1, details: 'Channel has been shut down' });
});
