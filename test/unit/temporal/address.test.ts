import { createServer } from 'node:net';
import { HoldfastClient } from '../../../src/client';
import { loadConfig } from '../../../src/config';
import { isListening } from '../../../src/temporal/address';
import { freePort } from '../../support/free-port';

it('reports whether anything listens, over both families of addresses', async () => {
  for (const [host, written] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ] as const) {
    const server = createServer().listen(0, host);
    await new Promise((resolve) => server.once('listening', resolve));
    const address = `${written}:${(server.address() as { port: number }).port}`;
    expect(await isListening(address)).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(await isListening(address)).toBe(false);
  }
});

it('a client says at once that nothing listens on this machine, and what to do', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const config = loadConfig({ TEMPORAL_ADDRESS: address });
  await expect(HoldfastClient.connect(config)).rejects.toThrow(
    `No Temporal server answers at ${address} (nothing listens there). Start the embedded stack`,
  );
});
