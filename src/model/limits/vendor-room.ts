/**
 * What is left of a vendor's own limit, as the ledger keeps it: what the vendor said, counted down by each request until it says it
 * anew.
 */
import type { RateRoom } from '../provider';

export interface VendorRoom {
  limit: number | null;
  /** Below 0: more requests are under way than the vendor has room for. */
  left: number;
  /** ms since 1970: then it is whole again. */
  until: number;
  /** It became whole again, and the vendor has not said anything since. */
  whole: boolean;
}

/** As long as a whole room is counted down without a word of the vendor, ms. */
const WHOLE_MS = 60_000;
/** Less than this share of the limit is left: from here on it is counted. */
const SCARCE = 0.25;
/** The same if the vendor does not say its limit. */
const SCARCE_COUNT = 10;

/** @param later what requests took of which the vendor did not know when it said this */
export function roomOf({ limit, remaining, resetMs }: RateRoom, later: number, now: number): VendorRoom {
  return { limit, left: remaining - later, until: now + Math.min(resetMs, LONGEST_RESET_MS), whole: false };
}

export function isScarce({ limit, left }: VendorRoom): boolean {
  return limit === null ? left < SCARCE_COUNT : left < limit * SCARCE;
}

/** A longer time is no limit a minute. */
const LONGEST_RESET_MS = 3_600_000;

/** Null: nothing is known any more. A clock that was set back delays by an hour at most. */
export function presentRoom(room: VendorRoom | null, now: number): VendorRoom | null {
  if (room === null) return null;
  if (room.until > now) return { ...room, until: Math.min(room.until, now + LONGEST_RESET_MS) };
  if (room.whole || room.limit === null) return null;
  return { limit: room.limit, left: room.limit, until: now + WHOLE_MS, whole: true };
}

export function lessRoom(room: VendorRoom | null, amount: number): VendorRoom | null {
  return room === null ? null : { ...room, left: room.left - amount };
}

/** When it has room for the amount, ms since 1970; 0: at once. An amount above the whole limit needs the whole room. */
export function vendorRoomAt(room: VendorRoom | null, amount: number): number {
  if (room === null) return 0;
  const needed = room.limit === null ? amount : Math.min(amount, room.limit);
  return room.left >= needed ? 0 : room.until;
}
