/** Addresses, HOST:PORT: whether they are this machine's own, and whether anything listens there. */
import { connect, isIP, isIPv4 } from 'node:net';

/** ms */
const WITHIN = 1000;

/**
 * Whether anything listens. A refused gRPC connection waits longer and longer before it tries again; a plain one says so at once.
 * @returns false: the connection was refused; silence is no refusal, for this process may itself have been late
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

/** Literally so: what a name resolves to can change. */
export function isLoopback(address: string): boolean {
  if (address.startsWith('unix:')) return true;
  const host = address
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (isIP(host) === 0) return host === 'localhost';
  return isIPv4(host) ? host.startsWith('127.') : host === '::1';
}
