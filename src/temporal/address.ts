/** Checks addresses, HOST:PORT: whether they are this machine's own, and whether anything listens there. */
import { connect } from 'node:net';
import { isLoopbackHost } from '../shared/wire/cross-site-check';

/** ms */
const WITHIN = 1000;

/**
 * Whether anything listens. gRPC retries a refused connection with growing waits; a plain connection reports it at once.
 * @returns false: the connection failed. No answer counts as true, since this process may itself have been late
 */
export function isListening(address: string): Promise<boolean> {
  const split = address.lastIndexOf(':');
  return new Promise((resolve) => {
    const host = address.slice(0, split).replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(address.slice(split + 1)) });
    const say = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
    socket.setTimeout(WITHIN, () => say(true));
  });
}

export function isLoopback(address: string): boolean {
  return address.startsWith('unix:') || isLoopbackHost(address.replace(/:\d{1,5}$/, ''));
}
