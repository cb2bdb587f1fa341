/**
 * The SDK's transports send a message once more by themselves, after a login that the server's answer (401, 403) asked for. Of
 * a call with effects that would be a repetition: the server may have acted before it answered.
 */
import type { Transport } from './sdk';

/** The server asked for another login once the call was there. */
export class NotSentAgain extends Error {
  override readonly name = 'NotSentAgain';
  constructor() {
    super('it was sent the call and asked for another login; the login is renewed, and the call was not sent again');
  }
}

/** @param once arguments of the calls that go out once; by identity */
export function sendingOnce(transport: Transport, once: WeakSet<object>): Transport {
  const send = transport.send.bind(transport);
  const sent = new WeakSet<object>();
  transport.send = (message, options) => {
    const given: unknown = 'params' in message ? message.params?.arguments : undefined;
    if (typeof given === 'object' && given !== null && once.has(given)) {
      if (sent.has(given)) return Promise.reject(new NotSentAgain());
      sent.add(given);
    }
    return send(message, options);
  };
  return transport;
}
