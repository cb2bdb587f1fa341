/** Whether anything listens. A refused gRPC connection waits longer and longer before it tries again; a plain one says so at once. */
import { connect } from 'node:net';

/** ms */
const WITHIN = 1000;

/** @param address HOST:PORT. False: the connection was refused; silence is no refusal, for this process may itself have been late */
export function answers(address: string): Promise<boolean> {
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
