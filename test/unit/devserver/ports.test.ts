import { createServer, type Server } from 'node:net';
import { choosePort, startOnPorts, type ChosenPort } from '../../../src/devserver/ports';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

class Taken extends Error {}

async function listen(port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new Taken()));
    server.listen(port, '127.0.0.1', resolve);
  });
  servers.push(server);
  return port;
}

/** Between our check and the start, another process takes the port, as often as `times` says. */
function start(times: number, wish?: number): Promise<number> {
  return startOnPorts(
    async () => {
      const chosen = await choosePort('the gateway', wish, usual);
      if (times-- > 0) await listen(chosen.port);
      return [chosen] as [ChosenPort];
    },
    ({ port }) => listen(port),
    (error) => error instanceof Taken,
  );
}

let usual: number;
beforeEach(async () => void (usual = (await choosePort('the gateway', 0, 0)).port));

describe('a port that another process takes between our check and the start', () => {
  it.each([0, 1, 2])('is chosen again (%i times)', async (times) => {
    const port = await start(times);
    expect(port === usual).toBe(times === 0);
  });

  it('is an error after three attempts', async () => {
    await expect(start(3)).rejects.toThrow(Taken);
    expect(servers).toHaveLength(3);
  });

  it('is an error at once where the user asked for that port', async () => {
    await expect(start(1, usual)).rejects.toThrow(Taken);
    expect(servers).toHaveLength(1);
  });

  it('does not hide another error', async () => {
    const failing = startOnPorts(
      async () => [await choosePort('the gateway', undefined, usual)],
      async () => Promise.reject(new Error('no such interface')),
      (error) => error instanceof Taken,
    );
    await expect(failing).rejects.toThrow('no such interface');
  });
});
