/** Chooses ports on loopback, and starts servers on them. */
import { createServer } from 'node:net';

const HOST = '127.0.0.1';

export interface ChosenPort {
  port: number;
  /** What the user should know: that the usual port was taken. */
  note: string | null;
  /** Chosen by us: we may choose again if another process was faster. */
  ours: boolean;
}

/**
 * The requested port; a free one for 0; without a request the usual one, or a free one if that is taken.
 * @param what for messages: `Temporal`
 * @throws Error when the requested port is taken
 */
export async function choosePort(what: string, wish: number | undefined, usual: number): Promise<ChosenPort> {
  if (wish === 0) return { port: await freePort(), note: null, ours: true };
  const firstPort = wish ?? usual;
  if (await isFree(firstPort)) return { port: firstPort, note: null, ours: wish === undefined };
  if (wish !== undefined)
    throw new Error(`Port ${firstPort} for ${what} is taken. Name another one, or none to have a free one picked.`);
  const port = await freePort();
  return { port, note: `Port ${firstPort} is taken: ${what} listens on ${port} instead.`, ours: true };
}

/** Another process may take a port between the check and the start. */
const ATTEMPTS = 3;

/**
 * Chooses ports and starts something on them; chooses again if another process was faster, unless the user asked for the port.
 * @param isTaken tells from the error of `start` whether a port was taken
 */
export async function startOnPorts<P extends [ChosenPort, ...(ChosenPort | null)[]], T>(
  choose: () => Promise<P>,
  start: (...ports: P) => Promise<T>,
  isTaken: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choose();
    try {
      return await start(...ports);
    } catch (error) {
      const ours = ports.every((port) => port?.ours ?? true);
      if (!ours || !isTaken(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

export async function freePort(): Promise<number> {
  return (await listen(0))!;
}

async function isFree(port: number): Promise<boolean> {
  return (await listen(port)) !== null;
}

/** Listens for a moment. @returns the port, or null if it cannot be had */
function listen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}
