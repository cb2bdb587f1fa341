/**
 * Who claims to have sent each signal, and signals that no handler takes. A handler sees only the
 * payload; the interceptor sees the activation, and leaves the sender here, in order of arrival.
 */
interface Arrival {
  name: string;
  identity: string;
}

const KEEP = 100;
const known: Arrival[] = [];
const unknown: Arrival[] = [];

export function signalArrived(name: string, identity: string, handled: boolean): void {
  const list = handled ? known : unknown;
  if (list.length < KEEP || handled) list.push({ name: name.slice(0, 100), identity: identity.slice(0, 200) });
}

/** The sender of the oldest signal of this name whose handler has not asked yet. */
export function takeSender(name: string): string {
  const index = known.findIndex((arrival) => arrival.name === name);
  return index < 0 ? '' : known.splice(index, 1)[0]!.identity;
}

/** Signals of unknown names since the last call. */
export function takeUnknown(): Arrival[] {
  return unknown.splice(0);
}
