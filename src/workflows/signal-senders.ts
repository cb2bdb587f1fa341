/**
 * Who claims to have sent each signal, and signals that no handler takes. A handler sees only the
 * payload; the interceptor sees the activation, and tells here, in order of arrival.
 */
interface Arrival {
  name: string;
  identity: string;
}

const known: Arrival[] = [];
/** Arrived before anybody listened. */
const early: Arrival[] = [];
let listener: ((arrival: Arrival) => void) | null = null;

export function signalArrived(name: string, identity: string, handled: boolean): void {
  const arrival = { name: name.slice(0, 100), identity: identity.slice(0, 200) };
  if (handled) known.push(arrival);
  else if (listener) listener(arrival);
  else early.push(arrival);
}

/** The sender of the oldest signal of this name whose handler has not asked yet. */
export function takeSender(name: string): string {
  const index = known.findIndex((arrival) => arrival.name === name);
  return index < 0 ? '' : known.splice(index, 1)[0]!.identity;
}

/** Tells of every signal whose name nothing handles, those included that came before. */
export function onUnknownSignal(tell: (arrival: Arrival) => void): void {
  listener = tell;
  early.splice(0).forEach(tell);
}
