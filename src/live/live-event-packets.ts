/**
 * Encodes live events as JSON packets of limited size (PostgreSQL NOTIFY, process channel): splits long text, and drops other events
 * that are too large. Decodes packets against a strict schema and ignores invalid ones, since others may write to the channel.
 */
import { z } from 'zod';
import { modelWaiting, textDelta, toolLog, toolProgress, toolRetrying, type LiveEvent } from '../shapes/turn-event';

const at = z.string().max(40);
const call = z.string().max(40);
const EVENT = z.discriminatedUnion('type', [
  textDelta.extend({ at }).strict(),
  toolProgress.extend({ at, call, message: z.string().max(2000) }).strict(),
  toolLog.extend({ at, call, tool: z.string().max(200), text: z.string().max(5000) }).strict(),
  toolRetrying
    .extend({
      at,
      call,
      code: z.string().max(60).nullable(),
      error: z.string().max(2000),
      next_attempt_at: z.string().max(40).nullable(),
    })
    .strict(),
  modelWaiting.extend({ at, model: z.string().max(200), text: z.string().max(500) }).strict(),
]);
const PACKET = z.strictObject({ n: z.string().max(60), events: z.array(EVENT).max(1000) });

/**
 * JSON texts of at most `mostBytes` each, in order. A long text is split; an event that cannot fit is left out.
 * @param name returns a new name for each packet: PostgreSQL delivers equal messages of one transaction only once
 */
export function packetsOf(events: LiveEvent[], mostBytes: number, name: () => string): string[] {
  const packets: string[] = [];
  let open: LiveEvent[] = [];
  const text = (some: LiveEvent[]) => JSON.stringify({ n: name(), events: some });
  const room = mostBytes - Buffer.byteLength(text([]));
  let size = 0;
  const close = () => {
    if (open.length > 0) packets.push(text(open));
    open = [];
    size = 0;
  };
  for (const event of events.flatMap((one) => pieces(one, room))) {
    const bytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (size + bytes > room) close();
    open.push(event);
    size += bytes;
  }
  close();
  return packets;
}

/** Empty: the packet does not have this format. */
export function eventsOf(packet: string): LiveEvent[] {
  try {
    const read = PACKET.safeParse(JSON.parse(packet));
    return read.success ? read.data.events : [];
  } catch {
    return [];
  }
}

function pieces(event: LiveEvent, room: number): LiveEvent[] {
  if (Buffer.byteLength(JSON.stringify(event)) + 1 <= room) return [event];
  if (event.type !== 'text_delta' || event.text.length < 2) return [];
  const middle = charStart(event.text, Math.floor(event.text.length / 2));
  const halves = [
    { ...event, text: event.text.slice(0, middle) },
    { ...event, offset: event.offset + middle, text: event.text.slice(middle) },
  ];
  return halves.flatMap((half) => (half.text === '' ? [] : pieces(half, room)));
}

/** Moves the index so that it does not split a surrogate pair. */
function charStart(text: string, index: number): number {
  return /[\uDC00-\uDFFF]/.test(text[index]!) && /[\uD800-\uDBFF]/.test(text[index - 1]!) ? index + 1 : index;
}
