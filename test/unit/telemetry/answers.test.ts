import { createServer } from 'node:net';
import { HoldfastClient } from '../../../src/client';
import { loadConfig } from '../../../src/config';
import { answers } from '../../../src/telemetry/answers';
import { freePort } from '../../support/free-port';

it('tells whether anything listens, over both families of addresses', async () => {
  for (const [host, written] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ] as const) {
    const server = createServer().listen(0, host);
    await new Promise((resolve) => server.once('listening', resolve));
    const address = `${written}:${(server.address() as { port: number }).port}`;
    expect(await answers(address)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await answers(address)).toBe(false);
  }
});

it('a client says at once that nothing listens on this machine, and what to do', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const config = loadConfig({ TEMPORAL_ADDRESS: address });
  await expect(HoldfastClient.connect(config)).rejects.toThrow(
    `No Temporal server answers at ${address} (nothing listens there). Start the embedded stack`,
  );
});
