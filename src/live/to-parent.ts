/** From the worker of the embedded stack to the process that started it, over the channel between them. */
import type { LiveBus } from './bus';
import { Outbox, type Parcel } from './outbox';
import { eventsOf, packetsOf } from './packets';

/** Of one message; the channel itself has no bound. */
const MOST_BYTES = 64_000;

type Channel = Pick<NodeJS.Process, 'send' | 'connected'>;

interface Message {
  holdfast_live: [turnId: string, packet: string][];
}

/** Publishes only: nobody watches in a worker. */
export function liveToParent(channel: Channel = process): LiveBus {
  let serial = 0;
  const send = (parcel: Parcel) =>
    new Promise<void>((resolve, reject) => {
      if (!channel.send || !channel.connected) return reject(new Error('nobody is at the other end'));
      const packets = [...parcel].flatMap(([turnId, events]) =>
        packetsOf(events, MOST_BYTES, () => String(serial++)).map((packet): [string, string] => [turnId, packet]),
      );
      channel.send({ holdfast_live: packets } satisfies Message, undefined, undefined, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  const outbox = new Outbox(send);
  return {
    publish: (turnId, event) => outbox.add(turnId, event),
    sent: () => outbox.sent(),
    subscribe: () => () => undefined,
    close: () => outbox.close(),
  };
}

/** Hands on what a child sent; any other message is left alone. */
export function relayLive(message: unknown, bus: Pick<LiveBus, 'publish'>): void {
  const { holdfast_live: packets } = (message ?? {}) as Partial<Message>;
  if (!Array.isArray(packets)) return;
  for (const [turnId, packet] of packets) for (const event of eventsOf(packet)) bus.publish(turnId, event);
}
